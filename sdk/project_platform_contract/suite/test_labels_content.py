"""Endpoints 16: the labels of an export are those of the requested items."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api

from .support.label_texts import LabelSheets, Words, distinctive, without_places
from .support.reading import refused

_ITEMS = 5  # Number of exported items: a sheet and one more.
_SHIFTED = (*range(1, _ITEMS), 0)  # Another order, in which no item has the place that it has in the first one.
_ALONE = (2, 4)  # Indices of the items that are also exported alone: one on the first sheet, and the one on the second.

Export = Callable[[Sequence[int]], LabelSheets]


@pytest.fixture
def export(api: Api, data: Data) -> Export:
    """Returns a function that exports some of five items, by their indices."""
    items: list[str] = data["menu_items"]
    if len(items) < _ITEMS:
        raise MissingError(f"'menu_items' has {len(items)} items; this rule needs {_ITEMS}")

    def export(indices: Sequence[int]) -> LabelSheets:
        return LabelSheets(api("labels_export", json=_body(data, [items[index] for index in indices])))

    return export


@pytest.mark.rule("labels.export.each-item")
def test_five_items_have_five_labels(export: Export) -> None:
    """Four on the first sheet, each with other words, and one on the second."""
    sheets = export(range(_ITEMS))
    first, second = _two_sheets(sheets)
    others = frozenset[str]().union(*first)
    last = [own for words in sheets.quarters[1] if (own := words - others)]
    repeated = [number for number, words in enumerate(distinctive([*first, second])) if not words]

    assert [number for number, words in enumerate(first) if not words] == [], "quarters of the first sheet are blank"
    assert repeated == [], "labels have no word that the others do not have"
    assert len(set(last)) == len(last), "the label on the second sheet is repeated"


@pytest.mark.rule("labels.export.each-item")
def test_a_label_is_that_of_its_item(export: Export) -> None:
    """An item that is exported alone has the label that it has among others, and no other label is printed.

    The items are exported at the same time, if no earlier test has exported them.
    """
    labels = _labels_of_items(export)
    with ThreadPoolExecutor(len(_ALONE)) as senders:
        alone = list(senders.map(lambda index: export([index]), _ALONE))
    found = {
        index: [number for number, words in enumerate(labels) if words & sheets.words]
        for index, sheets in zip(_ALONE, alone, strict=True)
    }

    assert {index: len(numbers) for index, numbers in found.items()} == dict.fromkeys(_ALONE, 1)
    assert len({number for numbers in found.values() for number in numbers}) == len(_ALONE)


@pytest.mark.rule("labels.export.order")
def test_labels_are_in_the_order_of_the_items(export: Export) -> None:
    """On the sheets from left to right, and from top to bottom."""
    labels = _labels_of_items(export)
    shifted = _labels(export(_SHIFTED))
    alone = {index: export([index]).words for index in _ALONE}

    for index, words in alone.items():
        assert labels[index] & words, f"item {index} does not have label {index}"
    assert [bool(labels[index] & words) for index, words in zip(_SHIFTED, shifted, strict=True)] == [True] * _ITEMS


@pytest.mark.rule("labels.export.review-full")
def test_the_review_has_every_item(export: Export) -> None:
    """The review of five items has what the reviews of single items have."""
    full = export(range(_ITEMS)).review
    reviews = [export([index]).review for index in _ALONE]

    for index, own in zip(_ALONE, distinctive(reviews), strict=True):
        if not own:
            raise MissingError("the reviews of two items have the same strings, so they cannot be compared")
        assert 2 * len(own & full) > len(own), f"the review lacks most words of item {index}: {sorted(own - full)}"


@pytest.mark.rule("labels.export.review-items")
def test_the_reviews_of_two_items_differ(export: Export) -> None:
    reviews = [export([index]).review for index in _ALONE]

    assert [index for index, own in zip(_ALONE, distinctive(reviews), strict=True) if not own] == []


@pytest.mark.rule("labels.export.month")
def test_a_month_has_the_labels_of_its_items(api: Api, data: Data, export: Export) -> None:
    """Other items of the month may have labels, too."""
    labels = _labels_of_items(export)
    response = api("labels_export", json={"menuMonth": data["menu_month"], "stock": "5x3.5"})

    words = LabelSheets(response).words

    assert [number for number, own in enumerate(labels) if not own & words] == []


@pytest.mark.rule("scope.own-things.labels-export")
def test_an_item_has_no_label_in_another_project(api: Api, data: Data, export: Export) -> None:
    """The service may refuse, or leave the item out."""
    own = distinctive([export([index]).words for index in _ALONE])[0]
    body = _body(data, [data["menu_items"][_ALONE[0]]])

    response = api("labels_export", projectId=data["other_project"], json=body)

    if not refused(response):
        assert not own & _words(response)


def _body(data: Data, items: Sequence[str]) -> dict[str, Any]:
    return {"menuMonth": data["menu_month"], "itemIds": list(items), "stock": "5x3.5"}


def _two_sheets(sheets: LabelSheets) -> tuple[Sequence[Words], Words]:
    """Return the words of the four labels on the first of two sheets, and those on the second sheet."""
    if len(sheets.quarters) != 2:  # four labels, and one
        raise MissingError(f"five labels should be on two sheets, but are on {len(sheets.quarters)}")
    return sheets.quarters[0], frozenset[str]().union(*sheets.quarters[1])


def _labels(sheets: LabelSheets) -> list[Words]:
    """Return the words of each of five labels."""
    first, second = _two_sheets(sheets)
    return [*first, second]


def _labels_of_items(export: Export) -> list[Words]:
    """Return what only the label of that item has, for each of five items."""
    labels, others = (_labels(export(order)) for order in (range(_ITEMS), _SHIFTED))
    return without_places(distinctive(labels), others)


def _words(response: httpx.Response) -> Words:
    """Return the words of an export, which may be empty."""
    try:
        return LabelSheets(response).words
    except MissingError:
        return frozenset()
