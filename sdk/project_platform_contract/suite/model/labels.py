"""Endpoint 16: exports of labels, in any order: each has the labels of its items, and as many sheets as they need."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from itertools import chain
from typing import Any, Final, NamedTuple

import httpx

from project_platform_contract.data.data_file import MissingError

from ..support.label_texts import LabelSheets, Words, distinctive, without_places
from ..support.preconditions import require_success
from ..support.reading import refused
from .reads import Json, Read, Reads
from .stream import Checks, Stream

Problems = Iterator[tuple[str, object]]

RULES: Final = (
    *("scope.any-order.labels-export", "labels.export.whole-month", "labels.export.each-item", "labels.export.order"),
    *("labels.export.month", "labels.export.review-items", "labels.export.review-full"),
    "scope.own-things.labels-export",
)
"""The rules that the exports check."""

_ITEMS: Final = 5  # Number of menu items: a sheet and one more.
_SHIFTED: Final = (*range(1, _ITEMS), 0)  # Another order, in which no item has the place that it has in the first one.
_ALONE: Final = (2, 4)  # Items that are also exported alone: one on the first sheet, and the one on the second.
_REPEATED: Final = ((0, 0, 1), (1, 0, 0), (0, 1, 0), (0, 0, 0, 0, 1))  # Items of which the first is named twice.
_ATTEMPTS: Final = 3  # Number of times that a difference must recur, because others may change the menu.
_MONTH: Final = 12  # Maximum number of items of a month that are exported one by one.
_OTHER_NAMES: Final = "menu items whose names differ in words"
_SHEETS: Final = {"all": 2, "one": 1, "two": 1, "three": 1, "four": 1}


class Labels(NamedTuple):
    """The parts of an export that are compared.

    Attributes:
        sheets: The words in the quarters of each sheet.
        review: The strings of the review without digits, which may be times.
    """

    sheets: tuple[tuple[Words, ...], ...]
    review: Words

    @property
    def quarters(self) -> list[Words]:
        """The words in the quarters of all sheets."""
        return list(chain.from_iterable(self.sheets))


def play(stream: Stream) -> Checks:
    """Send the exports, and return the checks. A run that only reads compares the contents of a few."""
    for problems in (_label_problems, _review_problems, _month_problems, _problems_elsewhere):
        stream.attempt(partial(_compare, stream, problems))
    if stream.run.allows("write"):
        stream.attempt(partial(_compare, stream, _repeated_problems))
        for export in (_export_in_any_order, _export_a_month):
            stream.attempt(partial(export, stream))
    return stream.end()


def _compare(stream: Stream, problems: Callable[[Stream], Problems]) -> None:
    found: dict[str, object] = {}
    for _ in range(_ATTEMPTS):
        found = dict(problems(stream))
        if not any(found.values()):
            break
        stream.run.forget_reads()
    for rule, problem in found.items():
        stream.check(rule, problem, "")


def _items(stream: Stream) -> list[str]:
    items: list[str] = stream.run.data["menu_items"][:_ITEMS]
    if len(items) < _ITEMS:
        raise MissingError(f"'menu_items' has {len(items)} items; this rule needs {_ITEMS}")
    return items


def _sent(stream: Stream, indices: Iterable[int] | None, **path: Any) -> httpx.Response:
    """Export some of five items, by their indices; None for a whole month."""
    body = {"menuMonth": stream.run.data["menu_month"], "stock": "5x3.5"}
    items = {} if indices is None else {"itemIds": [_items(stream)[index] for index in indices]}
    return stream.api("owner")("labels_export", json={**body, **items}, **path)


def _labels_of(sheets: LabelSheets) -> list[Words]:
    """Return the words of the four labels on the first of two sheets, and those on the second sheet."""
    if len(sheets.quarters) != _SHEETS["all"]:
        raise MissingError(f"five labels should be on two sheets, but are on {len(sheets.quarters)}")
    return [*sheets.quarters[0], frozenset[str]().union(*sheets.quarters[1])]


def _require_words(stream: Stream, indices: Sequence[int]) -> None:
    """Raise `MissingError` if the labels of items, each exported alone, differ in numbers only, which do not count."""
    alone = [LabelSheets(_sent(stream, [index])) for index in indices]
    if not all(distinctive([sheets.words for sheets in alone])) and all(distinctive([each.numbers for each in alone])):
        raise MissingError(f"the labels of the items {indices} of 'menu_items' differ in numbers only", _OTHER_NAMES)


def _told_apart(own: list[Words]) -> list[Words]:
    """Return what only the label of that item has, or raise `MissingError` if that of one has nothing."""
    if not all(own):
        raise MissingError("the labels of some items have no word that no other one has", _OTHER_NAMES)
    return own


def _own_words(stream: Stream) -> list[Words]:
    """Return what only the label of that item has, for each of five items."""
    labels, others = (_labels_of(LabelSheets(_sent(stream, order))) for order in (range(_ITEMS), _SHIFTED))
    own = without_places(distinctive(labels), others)
    _require_words(stream, [index for index, words in enumerate(own) if not words])
    return own


def _label_problems(stream: Stream) -> Problems:
    """Yield the rules of labels: each is that of its item, also if it is exported alone, and they are in its order."""
    sheets, own = LabelSheets(_sent(stream, range(_ITEMS))), _own_words(stream)
    labels, shifted = _labels_of(sheets), _labels_of(LabelSheets(_sent(stream, _SHIFTED)))
    last = [words - frozenset[str]().union(*labels[:-1]) for words in sheets.quarters[1]]
    blank = [number for number, words in enumerate(labels) if not words]
    repeated = [number for number, words in enumerate(distinctive(labels)) if not words]
    twice = len({*filter(None, last)}) < len([*filter(None, last)])
    exported = stream.together(lambda index: _sent(stream, [index]), _ALONE)
    alone = {index: LabelSheets(response).words for index, response in zip(_ALONE, exported, strict=True)}
    places = [[number for number, words in enumerate(own) if words & alone[index]] for index in _ALONE]
    single = [len(numbers) for numbers in places] == [1, 1] and places[0] != places[1]
    problem = f"labels {blank} are blank, {repeated} repeated, and items {_ALONE} are the labels {places}"
    yield "labels.export.each-item", (blank or repeated or twice or not single) and problem
    moved = [index for index in _ALONE if not own[index] & alone[index]]
    moved += [index for index, words in zip(_SHIFTED, shifted, strict=True) if not own[index] & words]
    yield "labels.export.order", moved and f"the items {moved} have other places"


def _repeated_problems(stream: Stream) -> Problems:
    """Yield the rule of an item that is named twice: it has one label or two, and leaves no other out."""
    own = distinctive([LabelSheets(_sent(stream, [index])).words for index in (0, 1)])
    if not all(own):
        _require_words(stream, (0, 1))
    wrong = []
    for indices in _REPEATED:
        response = _sent(stream, indices)
        if not refused(response):
            quarters = [words for sheet in LabelSheets(response).quarters for words in sheet]
            first, second = (sum(bool(words & quarter) for quarter in quarters) for words in own)
            wrong += [indices] if second != 1 or first not in {1, indices.count(0)} else []
    yield "labels.export.each-item", wrong and f"the labels of the items {wrong} are other ones"


def _review_problems(stream: Stream) -> Problems:
    """Yield the rules of the review: that of five items has what those of single items have, which differ."""
    own = distinctive([LabelSheets(_sent(stream, [index])).review for index in _ALONE])
    yield "labels.export.review-items", not all(own) and "the reviews of two items have the same strings"
    if all(own):
        full = LabelSheets(_sent(stream, range(_ITEMS))).review
        lost = [sorted(words - full) for words in own if 2 * len(words & full) <= len(words)]
        yield "labels.export.review-full", lost and f"the review lacks most words of an item: {lost}"


def _month_problems(stream: Stream) -> Problems:
    """Yield the rule of a month, which has the labels of its items; others may have labels, too."""
    own, words = _own_words(stream), LabelSheets(_sent(stream, None)).words
    lost = [number for number, label in enumerate(own) if not label & words]
    yield "labels.export.month", lost and f"the labels {lost} are missing"


def _problems_elsewhere(stream: Stream) -> Problems:
    """Yield the rule of an item in another project: the service may refuse it, or leave it out."""
    own = distinctive([LabelSheets(_sent(stream, [index])).words for index in _ALONE])[0]
    labels = _labels(_sent(stream, _ALONE[:1], projectId=stream.run.data["other_project"]))
    words = frozenset[str]().union(*labels.quarters) if isinstance(labels, Labels) else frozenset[str]()
    yield "scope.own-things.labels-export", own & words


def _export_in_any_order(stream: Stream) -> None:
    data = stream.run.data
    items = _items(stream)
    month = {"menuMonth": data["menu_month"], "stock": "5x3.5"}
    included = {**month, "includeUnapproved": True}
    unapproved, later = data["unapproved_menu_item"], f"{int(month['menuMonth'][:4]) + 1}{month['menuMonth'][4:]}"
    bodies: dict[str, Json] = {
        "all": {**month, "itemIds": items},
        "two": {**month, "itemIds": [items[4], items[2]]},
        "unapproved": {**included, "itemIds": [unapproved]},
        "other month": {**month, "itemIds": items[:1], "menuMonth": later},
        "four": {**month, "itemIds": items[1:]},
        "one": {**month, "itemIds": items[1:2]},
        "three": {**month, "itemIds": [items[3], items[0], items[4]]},
        "with unapproved": {**included, "itemIds": [*items[:3], unapproved]},
    }
    reads = {name: Read("owner", {"json": body}) for name, body in bodies.items()}
    reads["viewer"] = Read("viewer", {"json": bodies["two"]})
    reads["other project"] = Read("owner", {"json": bodies["one"], "projectId": data.values.get("other_project")})
    found = Reads(stream, "labels_export", reads, _labels).problems(lambda first: _wrong(first, bodies))
    stream.check("scope.any-order.labels-export", found, "")


def _wrong(first: Mapping[str, Any], bodies: Mapping[str, Json]) -> list[str]:
    """Return the exports that do not have the labels of their items: each item has words that no other one has.

    Raises:
        MissingError: The items have no labels.
    """
    if without := [name for name in _SHEETS if not isinstance(first[name], Labels)]:
        raise MissingError(f"items have no labels: {', '.join(without)}")
    quarters, shifted = first["all"].quarters, first["four"].quarters  # other items at the same places
    whole = distinctive([*quarters[:4], frozenset[str]().union(*quarters[4:])])
    own = _told_apart(without_places(whole, shifted[:4]))
    found = []
    for name, sheets in _SHEETS.items():
        labels = sorted(sum(bool(words & quarter) for quarter in first[name].quarters) for words in own)
        count = len(bodies[name]["itemIds"])
        if labels != [0] * (len(own) - count) + [1] * count or len(first[name].sheets) != sheets:
            found.append(f"{name}: {labels} labels of each item on {len(first[name].sheets)} sheets")
    if first.get("viewer", "refused") not in ("refused", first["two"]):
        found.append("viewer: other labels than those of the owner")
    return found + _wrong_review(first)


def _wrong_review(first: Mapping[str, Any]) -> list[str]:
    """Return a problem if an unapproved item is not in the review, where reviews have words of the items."""
    alone, among = first["unapproved"], first["with unapproved"]
    printed = isinstance(alone, Labels) and isinstance(among, Labels)
    if not printed or first["one"].review == first["two"].review:
        return []
    missing = not (alone.review - first["all"].review) & among.review or first["four"].review == among.review
    return ["the review of an export lacks the unapproved item"] if missing else []


def _export_a_month(stream: Stream) -> None:
    """Export a month without items: it has all of its items, the unapproved ones only on request."""
    data = stream.run.data
    items = [*data["menu_items"][:_MONTH], data["unapproved_menu_item"]]

    def quarters(**body: Any) -> list[Words]:
        json = {"menuMonth": data["menu_month"], "stock": "5x3.5", **body}
        labels = _labels(require_success(stream.api("owner")("labels_export", json=json)))
        return labels.quarters if isinstance(labels, Labels) else []

    alone = [frozenset[str]().union(*quarters(itemIds=[item], includeUnapproved=True)) for item in items]
    own = _told_apart(distinctive(alone))
    for switch in ({}, {"includeUnapproved": True}, {"includeUnapproved": False}):
        stream.update_a_record()
        words = frozenset[str]().union(*quarters(**switch))
        missing = [number for number, label in enumerate(own[:-1]) if not label & words]
        unapproved = bool(own[-1] & words) is not switch.get("includeUnapproved", False)
        problem = (missing or unapproved) and f"with {switch}, {missing} are missing, or the unapproved one is wrong"
        stream.check("labels.export.whole-month", problem, "")


def _labels(response: httpx.Response) -> Labels | str:
    try:
        sheets = LabelSheets(response)
    except MissingError:
        return "no labels"
    review = frozenset(text for text in sheets.review if not any(map(str.isdigit, text)))
    return Labels(tuple(tuple(sheet) for sheet in sheets.quarters), review)
