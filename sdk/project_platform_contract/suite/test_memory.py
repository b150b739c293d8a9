"""Endpoints 10: update a memory entry. Every entry that is changed gets back what it had."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.reading import discloses_nothing, refused
from .support.resources import MEMORY_ENTRY
from .support.type_check import mismatch

Entry = dict[str, Any]

_FIELDS = ("title", "description", "content", "metadata")


class Memory:
    """One memory entry. No operation reads it, so it is read by an update that gives nothing."""

    def __init__(self, api: Api, slug: str) -> None:
        self._api = api
        self.slug = slug
        self.before = self.read()

    def read(self) -> Entry:
        """Return the entry as it is now.

        Raises:
            MissingError: An update that gives nothing is not taken.
        """
        response = self._api("memory_update", slug=self.slug, json={})
        if not response.is_success:
            raise MissingError(
                f"{self.slug!r} cannot be read to be put back: an update of nothing was answered with {response.status_code}"
            )
        entry: Entry = response.json()["entry"]
        return entry

    def update(self, **fields: Any) -> Entry:
        """Return the entry as an update answers it."""
        response = self._api("memory_update", slug=self.slug, json=fields)
        assert response.is_success, f"the entry was not updated: {response.status_code}"
        entry: Entry = response.json()["entry"]
        return entry

    def given(self, field: str, tag: str) -> Any:
        """Return another value for a field."""
        return {"run": tag, "nested": {"list": [1, {"of": None}]}} if field == "metadata" else f"{field} of {tag} 🌾"

    def put_back(self) -> bool:
        """Give the entry what it had before, and return whether it has it."""
        self._api("memory_update", slug=self.slug, json={field: self.before.get(field) for field in _FIELDS})
        return _own(self.read()) == _own(self.before)


MemoryOf = Callable[[str], AbstractContextManager[Memory]]


@pytest.fixture
def memory(api: Api, data: Data, contract_run: Run) -> MemoryOf:
    """Return an entry of the data file, in a `with` statement that puts it back."""

    @contextmanager
    def opened(member: str) -> Iterator[Memory]:
        entry = Memory(api, data[member])
        try:
            yield entry
        finally:
            if entry.put_back():
                contract_run.ledger.restored("memory_update", f"the memory entry {entry.slug!r}")

    return opened


def _own(entry: Entry) -> Entry:
    """Return what an update can change of an entry."""
    return {field: entry.get(field) for field in _FIELDS}


@pytest.mark.rule("fields.memory-entry.types")
def test_the_fields_of_an_entry_are_of_their_types(memory: MemoryOf, tag: str) -> None:
    """With every field that can be given."""
    with memory("memory_slug") as entry:
        answered = entry.update(**{field: entry.given(field, tag) for field in _FIELDS})

    assert mismatch(answered, MEMORY_ENTRY) is None
    assert answered["slug"] == entry.slug


@pytest.mark.rule("memory.update.changes")
@pytest.mark.parametrize("field", ["title", "description", "content"])
def test_a_text_that_is_given_changes(memory: MemoryOf, tag: str, field: str) -> None:
    """It is answered, and it is there when the entry is read again."""
    with memory("memory_slug") as entry:
        answered = entry.update(**{field: entry.given(field, tag)})
        kept = entry.read()

    assert answered[field] == entry.given(field, tag)
    assert kept[field] == entry.given(field, tag)


@pytest.mark.rule("memory.update.changes")
def test_metadata_that_is_given_changes(memory: MemoryOf, api: Api, fact: Fact, tag: str) -> None:
    """Whether what it had beside that stays, is left open."""
    with memory("memory_slug") as entry:
        given = entry.given("metadata", tag)
        entry.update(metadata={"beside": tag})
        answered = entry.update(metadata=given)["metadata"]
        kept = entry.read()["metadata"]
        fact("memoryMetadata", "merged" if "beside" in kept else "replaced", api.exchanges[-1].response)

    assert {name: answered.get(name) for name in given} == given
    assert {name: kept.get(name) for name in given} == given


@pytest.mark.rule("memory.update.only-provided")
@pytest.mark.parametrize("field", _FIELDS)
def test_a_field_that_is_not_given_stays(memory: MemoryOf, tag: str, field: str) -> None:
    """One field is given at a time, after all of them have a value of this run."""
    with memory("memory_slug") as entry:
        first = entry.update(**{name: entry.given(name, f"{tag} before") for name in _FIELDS})
        entry.update(**{field: entry.given(field, tag)})
        kept = entry.read()

    others = [name for name in _FIELDS if name != field]
    assert {name: kept[name] for name in others} == {name: first[name] for name in others}
    assert {name: kept.get(name) for name in ("id", "projectId", "slug", "createdAt")} == {
        name: first.get(name) for name in ("id", "projectId", "slug", "createdAt")
    }


@pytest.mark.rule("memory.update.only-provided")
def test_an_update_of_no_field_changes_none(memory: MemoryOf, api: Api, fact: Fact) -> None:
    """Nor does one of a field that memory entries do not have, whether it is taken or refused."""
    with memory("memory_slug") as entry:
        response = api("memory_update", slug=entry.slug, json={"contractUnknown": 1})
        kept = entry.read()

    assert _own(kept) == _own(entry.before)
    if response.is_success or refused(response):
        fact("unknownFields", "ignore" if response.is_success else "refuse", response)


@pytest.mark.rule("memory.update.by-slug")
def test_the_entry_of_the_slug_changes_and_no_other(memory: MemoryOf, tag: str) -> None:
    """Two entries, of which one is updated."""
    with memory("memory_slug") as entry, memory("memory_slug_with_slash") as other:
        answered = entry.update(title=tag)
        kept = other.read()

    assert answered["slug"] == entry.slug
    assert answered.get("id") == entry.before.get("id")
    assert kept["slug"] == other.slug
    assert _own(kept) == _own(other.before)


@pytest.mark.rule("memory.update.by-slug")
def test_a_slug_that_no_entry_has_is_refused(api: Api, tag: str) -> None:
    """No entry is made for it."""
    for _ in range(2):
        response = api("memory_update", slug=f"{tag}-nothing", json={"title": tag})

        assert refused(response)
        assert discloses_nothing(response)


@pytest.mark.rule("memory.update.slash-in-slug")
def test_a_slug_may_have_a_slash(memory: MemoryOf, api: Api, data: Data, fact: Fact, tag: str) -> None:
    """It is sent percent-encoded, as one segment of the path."""
    slug = data["memory_slug_with_slash"]
    response = api("memory_update", slug=slug, json={})
    fact("encodedSlash", "data" if response.is_success else "separator", response)
    assert response.is_success

    with memory("memory_slug_with_slash") as entry:
        answered = entry.update(title=tag)

    assert answered["slug"] == slug
    assert answered["title"] == tag


@pytest.mark.rule("memory.update.body-types")
@pytest.mark.parametrize(
    "fields",
    [{"title": 7}, {"description": ["contract"]}, {"content": {"contract": True}}, {"metadata": ["contract"]}],
    ids=str,
)
def test_a_field_of_another_type_is_refused(memory: MemoryOf, api: Api, fields: dict[str, Any]) -> None:
    """And the entry stays as it is."""
    with memory("memory_slug") as entry:
        response = api("memory_update", slug=entry.slug, json=fields)
        kept = entry.read()

    assert refused(response)
    assert _own(kept) == _own(entry.before)
