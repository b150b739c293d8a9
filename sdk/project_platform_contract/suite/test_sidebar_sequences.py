"""Endpoints 8: sequences of replacements. Each response has the sections of its request, whatever was sent before.

The sequence is the same in every run. It sends each pair of values of what a list has: the number of its sections and their items,
their identifiers relative to those of the list before, their order, their texts, the fields of their items, and the caller.
"""

from __future__ import annotations

from random import Random
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.restoration import sidebar as restored_sidebar

from .support.covering import covering
from .support.free_form import TEXTS
from .support.json_equality import lost
from .support.preconditions import require_refused
from .support.reading import refused
from .support.resources import SIDEBAR_ITEM
from .support.sidebars import Section, section_differences

_ROWS: Final = covering(
    {
        "sections": (0, 1, 2, 5, 12),
        "items": (0, 1, 3, 11),
        "ids": ("new", "the same", "some of the same"),
        "order": ("forwards", "backwards", "random"),
        "texts": ("of their own", "equal", "empty", "any"),
        "fields": ("all", "some"),
        "caller": ("owner", "service_account"),
    }
)


class Lists:
    """Lists of sections, each made from the one before.

    Args:
        tag: Beginning of all identifiers.
    """

    def __init__(self, tag: str) -> None:
        self._tag = tag
        self._chance = Random(0)  # noqa: S311  # no secret
        self._sections: list[str] = []
        self._items: list[str] = []

    def next(self, row: dict[str, Any]) -> list[Section]:
        """Return the list of a row."""
        self._sections = self._ids(self._sections, row["sections"], row)
        self._items = self._ids(self._items, row["items"], row)
        return [
            {"id": id, "label": self._text(id, row), "items": [self._item(item, row) for item in self._items]}
            for id in self._sections
        ]

    def _item(self, id: str, row: dict[str, Any]) -> dict[str, str]:
        others = [name for name in SIDEBAR_ITEM if name != "id"]
        sent = others if row["fields"] == "all" else self._chance.sample(others, self._chance.randint(0, len(others)))
        return {"id": id, **{name: self._text(f"{name} of {id}", row) for name in sent}}

    def _ids(self, before: list[str], count: int, row: dict[str, Any]) -> list[str]:
        kept = {"new": 0, "the same": count, "some of the same": (count + 1) // 2}[row["ids"]]
        new = [f"{self._tag}-{self._chance.randrange(10**9):09}" for _ in range(count)]
        ids = [*before[:kept], *new][:count]
        if row["order"] == "random":
            self._chance.shuffle(ids)
        return ids[::-1] if row["order"] == "backwards" else ids

    def _text(self, own: str, row: dict[str, Any]) -> str:
        match row["texts"]:
            case "any":
                return self._chance.choice(list(TEXTS.values()))
            case "equal":
                return "The same"
            case "empty":
                return ""
            case _:
                return own


@pytest.mark.rule("sidebar.replace.sequence")
def test_each_response_has_the_sections_of_its_request(
    sign_in: SignIn, contract_run: Run, data: Data, tag: str
) -> None:
    """By several callers. A list whose items lack fields may be refused; those that are refused are no list before."""
    lists = Lists(tag)
    with restored_sidebar(contract_run):
        callers = _callers(sign_in, data, lists)
        for number, row in enumerate(_ROWS):
            sent = lists.next(row)
            response = _replace(callers.get(row["caller"], callers["owner"]), sent)
            if number % 3 == 0:
                require_refused(_replace(callers["owner"], [{**section, "id": 7} for section in [*sent, {}]]))
            if row["fields"] == "some" and refused(response):
                continue
            assert response.is_success, f"list {number} was answered with {response.status_code}"
            body = response.json()
            assert (body["success"], section_differences(sent, body["data"]["sections"])) == (True, []), number


@pytest.mark.rule("sidebar.replace.refused-changes-nothing")
def test_a_refused_list_changes_nothing(api: Api, sign_in: SignIn, contract_run: Run, data: Data, tag: str) -> None:
    """No operation reads a sidebar, so only a stub can prove this."""
    project = contract_run.target.stub_project("a sidebar")
    sections = [{"id": f"{tag}-1", "label": "First", "items": [{"id": f"{tag}-a", "label": "A"}]}]
    strangers = [sign_in(None), *(sign_in(name) for name in ("outsider", "expired", "no_user") if name in data.tokens)]
    invalid: list[Any] = ["a", [7], [*sections, {"id": 7}], [{**sections[0], "items": [{"id": f"{tag}-b", "href": 7}]}]]
    with restored_sidebar(contract_run):
        assert _replace(api, sections).is_success
        for stranger in strangers:
            require_refused(_replace(stranger, []))
            assert section_differences(sections, project.sidebar) == []
        for value in invalid:
            require_refused(_replace(api, value))
            assert section_differences(sections, project.sidebar) == [], value


@pytest.mark.rule("fields.sidebar.types")
@pytest.mark.parametrize("missing", ["id", "label", "items", "id of an item", "all of an item"])
def test_nothing_else_is_lost_if_a_field_is_missing(api: Api, contract_run: Run, tag: str, missing: str) -> None:
    """The service may refuse the list, or choose a value for the field."""
    item = {name: f"{tag} {name}" for name in SIDEBAR_ITEM}
    less = {name: item[name] for name in item if missing == "id of an item" and name != "id"}
    section: Section = {
        "id": f"{tag}-1",
        "label": f"{tag} one",
        "items": [item, less, item] if "item" in missing else [item],
    }
    sent: list[Section] = [
        {name: value for name, value in section.items() if name != missing},
        {**section, "id": f"{tag}-2"},
    ]
    with restored_sidebar(contract_run):
        response = _replace(api, sent)

    if refused(response):
        return
    assert response.is_success
    sections = response.json()["data"]["sections"]
    assert len(sections) == len(sent)
    for one, found in zip(sent, sections, strict=True):
        assert (
            lost({**one, "items": len(one.get("items", []))}, {**found, "items": len(found.get("items") or [])}) == []
        )
        for entry, other in zip(one.get("items", []), found.get("items") or [], strict=True):
            assert lost(entry, other) == []


def _callers(sign_in: SignIn, data: Data, lists: Lists) -> dict[str, Api]:
    """Return the `Api` of the callers that may replace the sidebar, which the specification does not say."""
    callers = {"owner": sign_in("owner")}
    if "service_account" in data.tokens:
        account = sign_in("service_account")
        if _replace(account, lists.next(_ROWS[0])).is_success:
            callers["service_account"] = account
    return callers


def _replace(api: Api, sections: Any) -> httpx.Response:
    return api("sidebar_replace", json={"sections": sections})
