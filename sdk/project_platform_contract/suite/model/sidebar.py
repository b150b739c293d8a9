"""Endpoint 8: lists of sections that several callers send, each made from the one before, and requests that are refused."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from itertools import cycle
from typing import Any, Final

import httpx

from project_platform_contract.run.restoration import sidebar
from project_platform_contract.schema import field_problem, fields_of

from ..support.covering import Row
from ..support.free_form import TEXTS
from ..support.json_equality import covers, differences, plainly
from ..support.reading import discloses_nothing, refused
from .stream import Checks, Command, Stream

Section = dict[str, Any]

RULES: Final = (
    *("fields.sidebar.types", "sidebar.replace.order", "sidebar.replace.whole-list", "sidebar.replace.success"),
    *("sidebar.replace.sequence", "sidebar.replace.stored", "sidebar.replace.refused-changes-nothing"),
    *("sidebar.replace.body-types", "sidebar.replace.texts-unchanged"),
)
"""The rules that the sequence checks."""

_ITEM_FIELDS: Final = fields_of("SidebarItem")
_STEPS: Final = 34  # Number of commands.
_AT_ONCE: Final = 4  # Number of lists that are sent at the same time, and of their sections and items.
_ROWS: Final = {
    "sections": (0, 1, 2, 5, 60),
    "items": (0, 1, 3, 60),
    "ids": ("new", "the same", "some of the same", "numbers"),
    "order": ("forwards", "backwards", "random"),
    "texts": ("of their own", "equal", "empty", "any"),
    "fields": ("all", "some"),
}
_ITEM: Final = tuple(name for name in _ITEM_FIELDS if name != "id")
_LESS: Final = ("id", "label", "items", "id of an item", "all of an item")  # Parts that a section may lack.
_EQUAL: Final = ("id", "label", "items", "everything")  # Parts that two sections may share.
_FEW: Final = 3  # Maximum number of items of all sections but the first.


class SidebarModel:
    """The model of the sidebar of the project.

    Args:
        stream: The stream that sends the commands.
    """

    def __init__(self, stream: Stream) -> None:
        self._stream = stream
        self._run = stream.run
        self._rows = stream.rows(_ROWS)
        self._texts = cycle(stream.random.sample(list(TEXTS.values()), len(TEXTS)))
        self._less, self._equal, self._invalid = cycle(_LESS), cycle(_EQUAL), cycle(_invalid())
        self._known: dict[str, list[str]] = {"sections": [], "items": []}  # identifiers, the latest ones first
        self._last: list[Section] | None = None  # the list that was accepted last

    def callers(self) -> list[str]:
        """Return the identities that may replace the sidebar."""
        identities = self._stream.identities("owner", "service_account")
        return [each for each in identities if each == "owner" or self._send(each, []).is_success]

    def commands(self) -> dict[Command, int]:
        """Return the commands and their weights."""
        return {
            self.replace: 10,
            self.replace_incompletely: 2,
            self.replace_with_equal_sections: 1,
            self.replace_invalidly: 4,
            self.replace_as_a_stranger: 1,
            self.replace_at_once: 0,
        }

    def forget(self) -> None:
        """Forget the list: it may have been replaced."""
        self._last = None

    def replace(self, caller: str) -> None:
        """Replace the list, twice in a row; the service may refuse identifiers of digits, and items that lack fields."""
        for row in (next(self._rows), next(self._rows)):
            sent = self._sections(row)
            response = self._send(caller, sent)
            incomplete = row["fields"] == "some" or row["ids"] == "numbers"
            if self._stream.leaves_out(response) or (refused(response) and incomplete):
                self._compare_stored("sidebar.replace.refused-changes-nothing")
            else:
                self._compare(sent, response)

    def replace_incompletely(self, caller: str) -> None:
        """Replace the list by one that lacks a field: the service may refuse it, or choose a value; nothing else is lost."""
        missing, tag = next(self._less), self._run.tag
        item = {name: f"{tag} {name}" for name in _ITEM_FIELDS}
        less = {name: item[name] for name in _ITEM if missing == "id of an item"}
        items = [item, less, item] if "item" in missing else [item]
        section: Section = {"id": f"{tag}-1", "label": f"{tag} one", "items": items}
        first = {name: value for name, value in section.items() if name != missing}
        sent: list[Section] = [first, {**section, "id": f"{tag}-2"}]
        response = self._send(caller, sent)
        if refused(response):
            return
        whole = response.is_success and covers(response.json()["data"]["sections"], sent)
        problem = not whole and f"{response.status_code}, or a part that was sent is lost,"
        self._stream.check("fields.sidebar.types", problem and f"{problem} without {missing}", tag)
        self.forget()

    def replace_with_equal_sections(self, caller: str) -> None:
        """Replace the list by one with equal parts, which the service may refuse."""
        shared, tag = next(self._equal), self._run.tag
        one, two = (
            {
                "id": f"{tag}-{id}",
                "label": f"Section {id}",
                "items": [self._item(f"{tag}-{id}-a", {"texts": "of their own"})],
            }
            for id in "12"
        )
        other = one if shared == "everything" else {**two, shared: one[shared]}
        sent = [one, other, {**two, "id": f"{tag}-3", "items": [*two["items"], *two["items"]]}]
        response = self._send(caller, sent)
        if not refused(response):
            self._compare(sent, response)

    def replace_invalidly(self, caller: str) -> None:
        """Send a list with one defect, beside a valid section."""
        sent = next(self._invalid)
        valid = [{"id": f"{self._run.tag}-valid", "label": "Valid", "items": []}]
        response = self._send(caller, [*valid, *sent] if isinstance(sent, list) else sent)
        right = refused(response) and discloses_nothing(response)
        self._stream.check(
            "sidebar.replace.body-types", not right and f"{response.status_code} for {sent}", self._run.tag
        )
        self._compare_stored("sidebar.replace.refused-changes-nothing")

    def replace_as_a_stranger(self, caller: str) -> None:
        """Send a list without a permission."""
        stranger = self._stream.choice([None, *self._stream.identities("expired", "outsider", "no_user")])
        if refused(self._send(stranger, [])):
            self._compare_stored("sidebar.replace.refused-changes-nothing")

    def replace_at_once(self, caller: str) -> None:
        """Replace the list several times at once; a list that is returned is one of those that were sent, and no mixture."""
        row = {"ids": "new", "order": "forwards", "texts": "of their own"}
        lists = [self._sections({**row, "sections": _AT_ONCE, "items": _AT_ONCE}) for _ in range(_AT_ONCE)]
        responses = self._stream.together(lambda sent: self._send(caller, sent), lists)
        self.forget()
        known = [_ids(sent) for sent in lists]
        shown = [_ids(response.json()["data"]["sections"]) for response in responses if response.is_success]
        mixed = [ids for ids in shown if ids not in known]
        self._check({"whole-list"}, mixed and f"no list that was sent at the same time has the parts {mixed[0]}")

    def _compare(self, sent: list[Section], response: httpx.Response) -> None:
        """Compare the sections of a response with those of its request."""
        if not response.is_success:
            self._check({"sequence"}, f"{response.status_code} for {len(sent)} sections")
            return
        body = response.json()
        self._check({"success"}, body.get("success") is not True and f"success is {body.get('success')!r}")
        received: list[Section] = body["data"]["sections"]
        self._stream.check("fields.sidebar.types", field_problem("Sidebar", body["data"]), self._run.tag)
        self._check(
            {"whole-list", "sequence"}, sorted(_ids(sent)) != sorted(_ids(received)) and "sections or items differ"
        )
        self._check({"order", "sequence"}, _ids(sent) != _ids(received) and "sections or items have another order")
        problem = _section_differences(plainly(sent), plainly(received))
        self._check({"sequence"}, problem)
        self._stream.check("fields.sidebar.types", problem, self._run.tag)
        self._check({"texts-unchanged"}, _section_differences(sent, received))
        self._last = sent
        self._compare_stored("sidebar.replace.stored")

    def _compare_stored(self, rule: str) -> None:
        """Compare the list of a stub with the one that was accepted last: no operation reads a sidebar."""
        stub = self._run.target.stub
        if stub is None:
            self._stream.checks.missing.append("no operation reads a sidebar; only a stub shows it")
        elif self._last is not None:
            project = self._run.data["project"]
            problem = _section_differences(self._last, stub.world.projects[project].sidebar)
            others = [
                id for id, other in stub.world.projects.items() if id != project and self._run.tag in str(other.sidebar)
            ]
            self._stream.check(
                rule, problem or (others and f"the sidebars of {others} have sections of it"), self._run.tag
            )

    def _sections(self, row: Row) -> list[Section]:
        """Return a list of a kind."""
        ids = {name: self._next_ids(known, row[name], row) for name, known in self._known.items()}
        for name, known in self._known.items():
            self._known[name] = list(dict.fromkeys([*ids[name], *known]))
        items = [self._item(id, row) for id in ids["items"]]
        return [
            {"id": id, "label": self._text(id, row), "items": items[: _FEW if number else None]}
            for number, id in enumerate(ids["sections"])
        ]

    def _item(self, id: str, row: Row) -> dict[str, str]:
        some = row.get("fields") == "some"
        names = self._stream.random.sample(_ITEM, self._stream.random.randint(0, len(_ITEM))) if some else _ITEM
        return {"id": id, **{name: self._text(f"{name} of {id}", row) for name in names}}

    def _next_ids(self, before: list[str], count: int, row: Row) -> list[str]:
        random = self._stream.random
        kept = {"the same": count, "some of the same": (count + 1) // 2}.get(row["ids"], 0)
        new = [f"{self._run.tag}-{random.randrange(10**9):09}" for _ in range(count)]
        ids = [*before[:kept], *new][:count]
        if row["ids"] == "numbers":
            ids = ["b", *map(str, range(count + 8, 8, -1))][:count]
        if row["order"] == "random":
            random.shuffle(ids)
        return ids[::-1] if row["order"] == "backwards" else ids

    def _text(self, own: str, row: Row) -> str:
        match row["texts"]:
            case "any":
                return next(self._texts)
            case "equal":
                return "The same"
            case _:
                return "" if row["texts"] == "empty" else own

    def _send(self, identity: str | None, sections: Any) -> httpx.Response:
        return self._stream.api(identity)("sidebar_replace", json={"sections": sections})

    def _check(self, rules: set[str], problem: object) -> None:
        for rule in sorted(rules):
            self._stream.check(f"sidebar.replace.{rule}", problem, self._run.tag)


def _ids(sections: list[Section]) -> list[str]:
    """Return the identifiers of sections and items, in their order."""
    return [str(part.get("id")) for section in sections for part in (section, *(section.get("items") or ()))]


def _invalid() -> list[Any]:
    """Return lists with one defect each."""
    fields = [[{"id": "contract", "items": [{name: 7}]}] for name in _ITEM_FIELDS]
    sections = [[{"id": 7}], [{"label": ["a"]}], [{"id": "a", "items": "b"}], [{"id": "a", "items": ["b"]}], ["a"]]
    return ["contract", {"contract": True}, *sections, *fields]


def _section_differences(sent: Sequence[Section], received: Sequence[Section]) -> list[str]:
    """Return the places where sections are not those that were sent; [] if they are the same.

    Undocumented fields are ignored. A field that was not sent may be missing, null or empty, as may be a list of no items.
    """
    return differences(list(sent), _aligned(sent, received, fields_of("SidebarSection")))


def _aligned(sent: Sequence[Section], received: Sequence[Section], fields: Collection[str]) -> list[Section]:
    """Return the received sections or items with the fields that were sent, and those that have a value."""
    known = [*sent, *({} for _ in received[len(sent) :])]
    return [_shown(one, other, fields) for one, other in zip(known, received, strict=False)]


def _shown(sent: Section, received: Section, fields: Collection[str]) -> Section:
    shown = {name: received[name] for name in fields if received.get(name) is not None}
    shown = {name: value for name, value in shown.items() if name in sent or value not in ("", [])}
    if sent.get("items") == []:
        shown.setdefault("items", [])
    if "items" in shown:
        shown["items"] = _aligned(sent.get("items", []), shown["items"], _ITEM_FIELDS)
    return shown


def play(stream: Stream) -> Checks:
    """Send the sequence, restore the sidebar, and return the checks."""
    with sidebar(stream.run):
        model = SidebarModel(stream)
        return stream.play(model, model.callers(), _STEPS)
