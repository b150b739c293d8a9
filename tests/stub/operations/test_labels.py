"""Endpoints 16: export meal labels as a PDF, read back with two other libraries."""

from __future__ import annotations

import io
import json
import re
from decimal import Decimal
from urllib.parse import unquote

import pikepdf
import pypdfium2
import pytest


@pytest.fixture
def export(api):
    return lambda **body: api.call("labels_export", **body)


@pytest.fixture
def item(stub):
    return lambda name: next(item["id"] for item in stub.project.menu_items.values() if item["name"] == name)


def summary(response):
    assert response.status_code == 200, response.text
    return json.loads(unquote(response.headers["X-Label-Summary"], errors="strict"))


def review(response):
    with pikepdf.open(io.BytesIO(response.content)) as pdf:
        assert list(pdf.attachments) == ["label-review.json"]
        return json.loads(pdf.attachments["label-review.json"].get_file().read_bytes())


def texts(response):
    pdf = pypdfium2.PdfDocument(response.content)
    try:
        return [page.get_textpage().get_text_bounded() for page in pdf]
    finally:
        pdf.close()


def rectangles(response):
    """Return the rectangles drawn on each page as (left, bottom, width, height)."""
    with pikepdf.open(io.BytesIO(response.content)) as pdf:
        return [
            [
                tuple(float(number) for number in instruction.operands)
                for instruction in pikepdf.parse_content_stream(page)
                if str(instruction.operator) == "re"
            ]
            for page in pdf.pages
        ]


def test_labels_are_five_by_three_and_a_half_inches(export):
    """360 by 252 points, four per sheet, centred, without overlaps."""
    first, second = rectangles(export(menuMonth="2026-11", includeUnapproved=True))

    grid = [
        (36.0, 306.0, 360.0, 252.0),
        (396.0, 306.0, 360.0, 252.0),
        (36.0, 54.0, 360.0, 252.0),
        (396.0, 54.0, 360.0, 252.0),
    ]
    assert first == grid
    assert second == grid[:2]


@pytest.mark.parametrize(("count", "sheets"), [(1, 1), (3, 1), (4, 1), (5, 2), (8, 2), (9, 3)])
def test_four_labels_fill_a_sheet(export, item, count, sheets):
    """The last sheet has the remainder; summary and PDF agree."""
    response = export(itemIds=[item("Goulash")] * count)

    with pikepdf.open(io.BytesIO(response.content)) as pdf:
        assert len(pdf.pages) == sheets
    assert sum(map(len, rectangles(response))) == count
    assert (summary(response)["labelCount"], summary(response)["sheetCount"]) == (count, sheets)


@pytest.mark.parametrize(
    ("body", "labels", "sheets", "skipped"),
    [
        ({}, 6, 2, ["not approved"]),
        ({"menuMonth": "2026-12"}, 1, 1, ["not on the menu of 2026-12"] * 6),
        ({"menuMonth": "2031-01"}, 0, 1, ["not on the menu of 2031-01"] * 7),
        ({"itemIds": []}, 0, 1, []),
    ],
)
def test_the_month_narrows_the_menu(export, body, labels, sheets, skipped):
    """An empty body prints all months and all items, except for those that are not approved; the review lists the skipped ones."""
    response = export(**body)

    assert summary(response) == {
        "menuMonth": body.get("menuMonth"),
        "labelCount": labels,
        "sheetCount": sheets,
        "skippedCount": len(skipped),
        "problemCount": 0,
    }
    assert [skip["reason"] for skip in review(response)["skipped"]] == skipped
    assert len(review(response)["labels"]) == labels
    assert ("No labels to print" in texts(response)[0]) is (labels == 0)


def test_the_review_is_complete(export, item, stub):
    """It has the stock, every label with its place, and the skipped items; text of any script is complete."""
    stub.project.menu_items[item("Goulash")] |= {"name": "親子丼", "menuMonth": "2026-11"}
    ids = [item("親子丼"), item("Test kitchen pie"), item("Lentil soup")]

    reviewed = review(export(menuMonth="2026-11", itemIds=ids, stock="5x3.5"))

    assert (reviewed["menuMonth"], reviewed["stock"]) == ("2026-11", "5x3.5")
    assert [(label["itemId"], label["name"], label["sheet"], label["position"]) for label in reviewed["labels"]] == [
        (ids[0], "親子丼", 1, 1),
        (ids[2], "Lentil soup", 1, 2),
    ]
    assert reviewed["skipped"] == [{"itemId": ids[1], "name": "Test kitchen pie", "reason": "not approved"}]


def test_the_summary_is_uri_encoded_json(export):
    """The header is ASCII: all characters but the unreserved ones are percent-encoded."""
    header = export(menuMonth="2026-11").headers["X-Label-Summary"]

    assert re.fullmatch(r"(?:[A-Za-z0-9_.~-]|%[0-9A-F]{2})+", header)


def test_problems_are_in_the_review_and_counted_in_the_summary(export, item, stub):
    """Each field that is not printed as it is, with its label, which may be printed twice."""
    soup = item("Lentil soup")
    stub.project.menu_items[soup] |= {"name": "🌶", "ingredients": ["water and more water"] * 200}

    response = export(itemIds=[item("Goulash"), soup, *[item("Goulash")] * 3, soup])

    problems = review(response)["problems"]
    fields = ["name", "ingredients", "description", "heating", "calories", "menuMonth"]
    assert [(problem["sheet"], problem["position"], problem["field"]) for problem in problems] == [
        *((1, 2, field) for field in fields),
        *((2, 2, field) for field in fields),
    ]
    assert {problem["itemId"] for problem in problems} == {soup}
    assert problems[0]["problem"] == "cannot be drawn: U+1F336"
    assert re.fullmatch(r"does not fit: [1-9][0-9]+ of 4411 characters printed", problems[1]["problem"])
    assert problems[3]["problem"] == "does not fit: 0 of 28 characters printed"
    assert summary(response)["problemCount"] == 12
    assert "Allergens: celery" in texts(response)[0]
    assert len(review(response)["labels"][1]["ingredients"]) == 200


def test_an_item_id_may_be_in_upper_case(export, item):
    """UUIDs are compared case-insensitively."""
    assert summary(export(itemIds=[item("Goulash").upper()]))["labelCount"] == 1


def test_a_number_in_an_item_keeps_its_digits(export, stub):
    """The review of an item with `calories: 380.50` in a world file has the same digits."""
    (first, *_) = stub.project.menu_items
    stub.project.menu_items[first] |= {"calories": Decimal("380.50")}

    with pikepdf.open(io.BytesIO(export(itemIds=[first]).content)) as pdf:
        assert b'"calories":380.50' in pdf.attachments["label-review.json"].get_file().read_bytes()
