"""Endpoints 10: update a memory entry. Every entry that is changed is restored."""

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
    """One memory entry. No operation reads it, so `read` sends an update without fields."""

    def __init__(self, api: Api, slug: str) -> None:
        self._api = api
        self.slug = slug
        self.before = self.read()

    def read(self) -> Entry:
        """Return the current entry.

        Raises:
            MissingError: An update without fields is refused.
        """
        response = self._api("memory_update", slug=self.slug, json={})
        if not response.is_success:
            raise MissingError(
                f"{self.slug!r} cannot be read, and so not restored: an update without fields was answered with {response.status_code}"
            )
        entry: Entry = response.json()["entry"]
        return entry

    def update(self, **fields: Any) -> Entry:
        """Update the entry, and return it as the response shows it."""
        response = self._api("memory_update", slug=self.slug, json=fields)
        assert response.is_success, f"the entry was not updated: {response.status_code}"
        entry: Entry = response.json()["entry"]
        return entry

    def new_value(self, field: str, tag: str) -> Any:
        """Return a new value for a field."""
        return {"run": tag, "nested": {"list": [1, {"of": None}]}} if field == "metadata" else f"{field} of {tag} 🌾"

    def restore(self) -> bool:
        """Restore the previous fields, and return whether the entry has them."""
        self._api("memory_update", slug=self.slug, json={field: self.before.get(field) for field in _FIELDS})
        return _updatable(self.read()) == _updatable(self.before)


MemoryOf = Callable[[str], AbstractContextManager[Memory]]


@pytest.fixture
def memory(api: Api, data: Data, contract_run: Run) -> MemoryOf:
    """Returns a context manager for an entry of the data file, which restores it at the end."""

    @contextmanager
    def opened(member: str) -> Iterator[Memory]:
        entry = Memory(api, data[member])
        try:
            yield entry
        finally:
            if entry.restore():
                contract_run.ledger.restored("memory_update", f"the memory entry {entry.slug!r}")

    return opened


def _updatable(entry: Entry) -> Entry:
    """Return the fields of an entry that an update can change."""
    return {field: entry.get(field) for field in _FIELDS}


@pytest.mark.rule("fields.memory-entry.types")
def test_an_entry_has_the_documented_types(memory: MemoryOf, tag: str) -> None:
    with memory("memory_slug") as entry:
        updated = entry.update(**{field: entry.new_value(field, tag) for field in _FIELDS})

    assert mismatch(updated, MEMORY_ENTRY) is None
    assert updated["slug"] == entry.slug


@pytest.mark.rule("memory.update.changes")
@pytest.mark.parametrize("field", ["title", "description", "content"])
def test_a_text_in_the_request_replaces_the_old_one(memory: MemoryOf, tag: str, field: str) -> None:
    with memory("memory_slug") as entry:
        updated = entry.update(**{field: entry.new_value(field, tag)})
        stored = entry.read()

    assert updated[field] == entry.new_value(field, tag)
    assert stored[field] == entry.new_value(field, tag)


@pytest.mark.rule("memory.update.changes")
def test_metadata_in_the_request_is_stored(memory: MemoryOf, api: Api, fact: Fact, tag: str) -> None:
    """Whether it is merged or replaced is recorded as a fact."""
    with memory("memory_slug") as entry:
        new_value = entry.new_value("metadata", tag)
        entry.update(metadata={"other": tag})
        updated = entry.update(metadata=new_value)["metadata"]
        stored = entry.read()["metadata"]
        fact("memoryMetadata", "merged" if "other" in stored else "replaced", api.exchanges[-1].response)

    assert {name: updated.get(name) for name in new_value} == new_value
    assert {name: stored.get(name) for name in new_value} == new_value


@pytest.mark.rule("memory.update.only-provided")
@pytest.mark.parametrize("field", _FIELDS)
def test_an_omitted_field_keeps_its_value(memory: MemoryOf, tag: str, field: str) -> None:
    with memory("memory_slug") as entry:
        first = entry.update(**{name: entry.new_value(name, f"{tag} before") for name in _FIELDS})
        entry.update(**{field: entry.new_value(field, tag)})
        stored = entry.read()

    others = [name for name in _FIELDS if name != field]
    assert {name: stored[name] for name in others} == {name: first[name] for name in others}
    assert {name: stored.get(name) for name in ("id", "projectId", "slug", "createdAt")} == {
        name: first.get(name) for name in ("id", "projectId", "slug", "createdAt")
    }


@pytest.mark.rule("memory.update.only-provided")
def test_an_unknown_field_changes_nothing(memory: MemoryOf, api: Api, fact: Fact) -> None:
    """Whether it is ignored or refused is recorded as a fact."""
    with memory("memory_slug") as entry:
        response = api("memory_update", slug=entry.slug, json={"contractUnknown": 1})
        stored = entry.read()

    assert _updatable(stored) == _updatable(entry.before)
    if response.is_success or refused(response):
        fact("unknownFields", "ignore" if response.is_success else "refuse", response)


@pytest.mark.rule("memory.update.by-slug")
def test_only_the_entry_with_the_slug_changes(memory: MemoryOf, tag: str) -> None:
    with memory("memory_slug") as entry, memory("memory_slug_with_slash") as other:
        updated = entry.update(title=tag)
        stored = other.read()

    assert updated["slug"] == entry.slug
    assert updated.get("id") == entry.before.get("id")
    assert stored["slug"] == other.slug
    assert _updatable(stored) == _updatable(other.before)


@pytest.mark.rule("memory.update.by-slug")
def test_an_unknown_slug_is_refused(api: Api, tag: str) -> None:
    """Twice, because the first update must not create an entry."""
    for _ in range(2):
        response = api("memory_update", slug=f"{tag}-nothing", json={"title": tag})

        assert refused(response)
        assert discloses_nothing(response)


@pytest.mark.rule("memory.update.slash-in-slug")
def test_a_slug_may_contain_a_slash(memory: MemoryOf, api: Api, data: Data, fact: Fact, tag: str) -> None:
    """The slash is sent percent-encoded."""
    slug = data["memory_slug_with_slash"]
    response = api("memory_update", slug=slug, json={})
    fact("encodedSlash", "data" if response.is_success else "separator", response)
    assert response.is_success

    with memory("memory_slug_with_slash") as entry:
        updated = entry.update(title=tag)

    assert updated["slug"] == slug
    assert updated["title"] == tag


@pytest.mark.rule("memory.update.body-types")
@pytest.mark.parametrize(
    "fields",
    [{"title": 7}, {"description": ["contract"]}, {"content": {"contract": True}}, {"metadata": ["contract"]}],
    ids=str,
)
def test_a_field_of_another_type_is_refused(memory: MemoryOf, api: Api, fields: dict[str, Any]) -> None:
    """And the entry does not change."""
    with memory("memory_slug") as entry:
        response = api("memory_update", slug=entry.slug, json=fields)
        stored = entry.read()

    assert refused(response)
    assert _updatable(stored) == _updatable(entry.before)
