"""Endpoints 16: export meal labels. An export changes nothing."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from itertools import combinations
from typing import Any, Final
from urllib.parse import unquote

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.media_types import media_type_of
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.fixtures import More
from .support.pdf import Box, Sheet, attachments_of, inside, may_be_inside, overlap, sheets_of, size, within
from .support.preconditions import require_refused, require_success
from .support.reading import error_problem

# Characters that encodeURI does not encode (ECMA-262 section 19.2.6.4), and percent-encoded bytes.
_URI_ENCODED = re.compile(r"(?:[A-Za-z0-9\-_.!~*'();/?:@&=+$,#]|%[0-9A-Fa-f]{2})+")

_LABEL: Final = (5.0, 3.5)  # inches


@pytest.mark.rule("labels.export.pdf")
def test_an_export_is_a_pdf(api: Api, data: Data) -> None:
    response = _export(api, data, 1)

    assert response.status_code == 200
    assert media_type_of(response) == "application/pdf"
    assert response.content.startswith(b"%PDF-")
    assert len(_sheets(response)) > 0


@pytest.mark.rule("labels.export.landscape-letter")
def test_every_page_is_letter_in_landscape(api: Api, data: Data) -> None:
    """11 by 8.5 inches, as a viewer shows it; of three sheets, if the menu has that many items."""
    sheets = [*_sheets(_export(api, data, 1)), *_sheets(_large_export(api, data))]

    assert {(round(sheet.width, 2), round(sheet.height, 2)) for sheet in sheets} == {(11, 8.5)}


@pytest.mark.rule("labels.export.four-a-sheet")
@pytest.mark.parametrize("labels", [1, 4, 5])
def test_a_sheet_has_four_labels(api: Api, data: Data, labels: int) -> None:
    assert len(_sheets(_export(api, data, labels))) == math.ceil(labels / 4)


@pytest.mark.rule("labels.export.four-a-sheet")
def test_no_sheet_is_lost(api: Api, data: Data) -> None:
    """Of three, if the menu has that many items."""
    response = _large_export(api, data)

    labels = len(json.loads(response.request.content)["itemIds"])
    assert len(_sheets(response)) == math.ceil(labels / 4)


@pytest.mark.rule("labels.export.label-size")
def test_a_label_is_five_by_three_and_a_half_inches(api: Api, data: Data) -> None:
    """Measured by its outline, if one is drawn; a frame may also be drawn inside of a label whose edge is not drawn."""
    sheets = _sheets(_large_export(api, data))
    outlines = [_outlines(sheet) for sheet in sheets]
    if not any(outlines):
        raise MissingError("the labels have no outlines to measure")
    if all(
        _LABEL not in map(size, frames) and may_be_inside(frames, *_LABEL, sheet)
        for sheet, frames in zip(sheets, outlines, strict=True)
        if frames
    ):
        raise MissingError("the labels have frames, but no outlines to measure")

    assert len(outlines[0]) == 4
    assert {size(frame) for frames in outlines for frame in frames} == {_LABEL}
    for sheet, frames in zip(sheets, outlines, strict=True):
        assert all(within(frame, sheet) for frame in frames)
        assert not any(overlap(one, other) for one, other in combinations(frames, 2))


def _outlines(sheet: Sheet) -> list[Box]:
    """Return the frames that may be outlines of labels: no small ones, none inside of a label, and none around the whole sheet."""
    labels = [frame for frame in sheet.frames if size(frame) == _LABEL]
    large = [
        frame
        for frame in sheet.frames
        if min(size(frame)) > 2 and size(frame) not in {_LABEL, size((0, 0, sheet.width, sheet.height))}
    ]
    return [*labels, *(frame for frame in large if not any(inside(frame, label) for label in labels))]


@pytest.mark.rule("labels.export.summary")
def test_the_summary_is_uri_encoded_json(api: Api, data: Data, fact: Fact, more: More) -> None:
    """As JSON in UTF-8 without a byte order mark (RFC 8259 section 8.1). Its members are recorded as a fact."""
    for response in _exports(api, data, more):
        header = response.headers["X-Label-Summary"]
        assert _URI_ENCODED.fullmatch(header), f"{header!r} is not URI-encoded"
        summary = json.loads(unquote(header, errors="strict"))
        members = sorted(summary) if isinstance(summary, dict) else type(summary).__name__
        fact("labels.summary-members", members, response)


@pytest.mark.rule("labels.export.review")
def test_the_review_is_attached(api: Api, data: Data, fact: Fact, more: More) -> None:
    """As JSON in UTF-8 without a byte order mark (RFC 8259 section 8.1). Its members are recorded as a fact."""
    for response in _exports(api, data, more):
        attachments = attachments_of(response.content)
        assert "label-review.json" in attachments
        review = json.loads(attachments["label-review.json"].decode())
        members = sorted(review) if isinstance(review, dict) else type(review).__name__
        fact("labels.review-members", members, response)


@pytest.mark.parametrize(
    ("options", "sheets"),
    [
        pytest.param({}, 1, marks=pytest.mark.rule("labels.export.unapproved"), id="by default"),
        pytest.param(
            {"includeUnapproved": False}, 1, marks=pytest.mark.rule("labels.export.unapproved"), id="left out"
        ),
        pytest.param(
            {"includeUnapproved": True}, 2, marks=pytest.mark.rule("labels.export.include-unapproved"), id="included"
        ),
    ],
)
def test_an_unapproved_item_is_printed_only_on_request(
    api: Api, data: Data, options: dict[str, bool], sheets: int
) -> None:
    """With four approved items, its label needs a second sheet. Who may print it is not specified."""
    items = [*_items(data, 4), data["unapproved_menu_item"]]

    response = api("labels_export", json={"menuMonth": data["menu_month"], "itemIds": items, **options})

    if sheets > 1:
        require_success(response)
    assert len(_sheets(response)) == sheets


@pytest.mark.parametrize(
    ("identity", "stock", "status"),
    [
        pytest.param(identity, stock, status, marks=pytest.mark.rule(f"labels.export.{rule}"), id=f"{rule}-{stock}")
        for rule, identity, stock, status in (
            ("stock", "owner", "5x3.5", 200),
            *(("stock", "owner", stock, 400) for stock in ("4x6", "5X3.5", "")),
            ("unauthenticated", None, "5x3.5", 401),
            ("forbidden", "outsider", "5x3.5", 403),
        )
    ],
)
def test_an_export_has_this_status(sign_in: SignIn, data: Data, identity: str | None, stock: str, status: int) -> None:
    assert _export(sign_in(identity), data, 1, stock=stock).status_code == status


@pytest.mark.rule("labels.export.error-body")
@pytest.mark.parametrize(("identity", "stock"), [("owner", "4x6"), (None, "5x3.5"), ("outsider", "5x3.5")])
def test_an_error_is_json(sign_in: SignIn, data: Data, identity: str | None, stock: str) -> None:
    response = require_refused(_export(sign_in(identity), data, 1, stock=stock))

    assert error_problem(response) is None


def _export(api: Api, data: Data, labels: int, **body: Any) -> httpx.Response:
    """Export some labels, and return the response."""
    body = {"stock": "5x3.5", **body}  # as in the valid request, so that the tests share its response
    return api("labels_export", json={"menuMonth": data["menu_month"], "itemIds": _items(data, labels), **body})


def _large_export(api: Api, data: Data) -> httpx.Response:
    """Export three sheets, if the menu has that many items, or five labels if the service refuses more."""
    most = max(4, len(data["menu_items"]))
    response = _export(api, data, min(12, most))
    return response if response.is_success else _export(api, data, min(5, most))


def _exports(api: Api, data: Data, more: More) -> Iterator[httpx.Response]:
    """Yield an export of some items, and those of a whole month, of no item and of more."""
    yield require_success(_export(api, data, 5))
    bodies: list[dict[str, Any]] = [{}, {"includeUnapproved": True}, {"itemIds": []}, {"itemIds": _items(data, 2)}]
    for body in more(bodies):
        response = api("labels_export", json={"menuMonth": data["menu_month"], "stock": "5x3.5", **body})
        if response.is_success:
            yield response


def _items(data: Data, count: int) -> list[str]:
    items: list[str] = data["menu_items"]
    if len(items) < count:
        raise MissingError(f"'menu_items' has {len(items)} items; this rule needs {count}")
    return items[:count]


def _sheets(response: httpx.Response) -> list[Sheet]:
    assert response.is_success, f"no labels were exported: {response.status_code}"
    return sheets_of(response.content)
