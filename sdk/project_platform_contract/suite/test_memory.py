"""Endpoints 10: update a memory entry. Every entry that is changed is restored."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.restoration import ENTRY_FIELDS

from .support.json_equality import differences, lost
from .support.memory import MemoryOf, updatable
from .support.reading import discloses_nothing, refused
from .support.resources import MEMORY_ENTRY
from .support.type_check import mismatch


@pytest.mark.rule("fields.memory-entry.types")
def test_an_entry_has_the_documented_types(memory: MemoryOf, tag: str) -> None:
    with memory("memory_slug") as entry:
        updated = entry.update(**{field: entry.new_value(field, tag) for field in ENTRY_FIELDS})

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
        if entry.merges:
            entry.read()
            fact("memoryMetadata", "merged", api.exchanges[-1].response)
        entry.update(metadata={"other": tag})
        updated = entry.update(metadata=new_value)["metadata"]
        stored = entry.read()["metadata"]
        fact("memoryMetadata", "merged" if "other" in stored else "replaced", api.exchanges[-1].response)

    assert {name: updated.get(name) for name in new_value} == new_value
    assert {name: stored.get(name) for name in new_value} == new_value


@pytest.mark.rule("memory.update.only-provided")
@pytest.mark.parametrize("field", ENTRY_FIELDS)
def test_an_omitted_field_keeps_its_value(memory: MemoryOf, tag: str, field: str) -> None:
    with memory("memory_slug") as entry:
        first = entry.update(**{name: entry.new_value(name, f"{tag} before") for name in ENTRY_FIELDS})
        entry.update(**{field: entry.new_value(field, tag)})
        stored = entry.read()

    others = [name for name in ENTRY_FIELDS if name != field]
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

    assert updatable(stored) == updatable(entry.before)
    if response.is_success or refused(response):
        fact("unknownFields", "ignore" if response.is_success else "refuse", response)


@pytest.mark.rule("memory.update.by-slug")
def test_only_the_entry_with_the_slug_changes(memory: MemoryOf, tag: str) -> None:
    with memory("memory_slug") as entry, memory("memory_slug_with_slash") as other:
        updated = entry.update(**{field: entry.new_value(field, tag) for field in ENTRY_FIELDS})
        stored = other.read()

    assert updated["slug"] == entry.slug
    assert updated.get("id") == entry.before.get("id")
    assert stored["slug"] == other.slug
    assert updatable(stored) == updatable(other.before)


@pytest.mark.rule("memory.update.unknown-slug")
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
    assert updatable(stored) == updatable(entry.before)


@pytest.mark.rule("memory.update.only-provided")
def test_fields_are_updated_together_and_apart(memory: MemoryOf, tag: str) -> None:
    """Each subset of the fields changes these fields, and no others."""
    with memory("memory_slug") as entry:
        expected = {field: entry.new_value(field, f"{tag} first") for field in ENTRY_FIELDS}
        entry.update(**expected)
        for number in range(1, 2 ** len(ENTRY_FIELDS)):
            provided = [field for bit, field in enumerate(ENTRY_FIELDS) if number >> bit & 1]
            changes = {field: entry.new_value(field, f"{tag} {number}") for field in provided}
            expected |= changes
            stored = entry.update(**changes)

            assert (
                differences(
                    {field: expected[field] for field in ENTRY_FIELDS if field != "metadata"},
                    {field: stored.get(field) for field in ENTRY_FIELDS if field != "metadata"},
                )
                == []
            ), f"after an update of {' and '.join(provided)}"
            assert lost(expected["metadata"], stored["metadata"]) == [], f"after an update of {' and '.join(provided)}"


@pytest.mark.rule("memory.update.by-slug")
def test_a_similar_slug_does_not_change_the_entry(memory: MemoryOf, api: Api, tag: str) -> None:
    """Neither one that begins or ends with the slug, nor one below it, nor one that a pattern or a URL would cut."""
    with memory("memory_slug") as entry:
        before = entry.update(title=f"before {tag}")
        cut = [f"{entry.slug}{sign}{tag}" for sign in ("?", "#", ";", ".", " ", "|", "%")]
        for slug in (*cut, f"{entry.slug}-{tag}", f"{entry.slug}/{tag}", f"{tag}/{entry.slug}", f"{tag}-{entry.slug}"):
            api("memory_update", slug=slug, json={"title": tag})
        stored = entry.read()

    assert updatable(stored) == updatable(before)


@pytest.mark.rule("memory.update.by-slug")
def test_an_update_keeps_the_other_fields_of_the_entry(memory: MemoryOf, api: Api, tag: str) -> None:
    """Its identity, and the time of its creation."""
    names = ("id", "projectId", "slug", "createdAt")
    with memory("memory_slug") as entry:
        updated = entry.update(title=tag, content=f"content of {tag}")

    assert {name: updated.get(name) for name in names} == {name: entry.before.get(name) for name in names}
    assert updated["projectId"].lower() == api.project.lower()
