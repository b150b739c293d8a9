"""Endpoints 10: texts and metadata are stored as they are sent, also by updates at the same time."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.restoration import ENTRY_FIELDS

from .support.fields import FIELDS
from .support.free_form import FALSY, SMALL, TEXTS, free_form
from .support.json_equality import differences, lost
from .support.memory import MemoryOf, updatable
from .support.merges import value_differences
from .support.preconditions import require_conclusive
from .support.reading import refused
from .support.resources import MEMORY_ENTRY
from .support.words import FALSE_WORDS, PASSAGES, WORDS

# Texts with a heading, a title, or fields of another form; and texts in which some code hides a part.
_DOCUMENTS: Final = (
    *("# A heading\n\nand a text", "A heading\n=========\n", "---\ntitle: a\ndescription: b\n---\nc"),
    *("<html><title>A title</title><h1>b</h1></html>", '{"title": "a", "content": "b", "metadata": {"c": 1}}'),
    *("Title: a\nDescription: b\n\nc", "title=a&content=b", "#tag and @name", "[[a link]] ![](a.png)"),
    *("Mail to ann.example@example.com.", "Call +49 30 1234567 or (555) 010-0199.", "Card 4111 1111 1111 1111"),
    *("IBAN DE02 1203 0000 0000 2020 51", "password: secret", "api_key=0123456789abcdef", "from 10.0.0.1"),
)


@pytest.mark.rule("memory.update.texts-unchanged")
def test_texts_are_stored_unchanged(memory: MemoryOf) -> None:
    """In their Unicode form, with their blanks, and without a change of type."""
    fields = ("title", "description", "content")
    received, sent = [], []
    with memory("memory_slug") as entry:
        # The first words are provided alone, below.
        for text in (*TEXTS.values(), *WORDS[len(FALSE_WORDS) :], *PASSAGES):
            values = {field: text for field in fields if field != "title" or text.strip()}
            sent.append(values)
            updated = entry.update(**values)
            received.append({field: updated.get(field) for field in values})
        stored = entry.read()

    assert differences(sent, received) == []
    assert differences(sent[-1], {field: stored.get(field) for field in sent[-1]}) == []


@pytest.mark.rule("memory.update.texts-unchanged")
@pytest.mark.parametrize("field", ["title", "description", "content"])
def test_a_word_alone_is_stored_unchanged(memory: MemoryOf, tag: str, field: str) -> None:
    """It is the only provided field, so no other one changes: a text that a language takes for false is provided, too."""
    with memory("memory_slug") as entry:
        before = entry.update(**{name: f"{name} of {tag}" for name in ("title", "description", "content")})
        received = [updatable(entry.update(**{field: word})) for word in FALSE_WORDS]
        stored = updatable(entry.read())

    expected = [{**updatable(before), field: word} for word in FALSE_WORDS]
    assert differences([*expected, expected[-1]], [*received, stored]) == []


@pytest.mark.rule("memory.update.only-provided")
def test_what_a_text_says_changes_no_other_field(memory: MemoryOf, tag: str) -> None:
    """A text may begin with what looks like a heading or a field."""
    fields = ("title", "description", "content")
    with memory("memory_slug") as entry:
        before = updatable(entry.update(**{name: f"{name} of {tag}" for name in fields}, metadata={"of": tag}))
        received = {}
        for field in fields:
            for text in _DOCUMENTS:
                received[field, text] = updatable(entry.update(**{field: text}))
            entry.update(**{field: before[field]})
        stored = updatable(entry.read())

    assert differences({(field, text): {**before, field: text} for field, text in received}, received) == []
    assert stored == before


@pytest.mark.rule("memory.update.changes")
def test_a_field_can_have_its_earlier_value_again(memory: MemoryOf, tag: str) -> None:
    """An update that was sent before is no repetition, and one that is almost equal is a change."""
    similar = (f"a {tag.upper()}", f"A {tag}", f"\u00e4 {tag}", f"a\u0308 {tag}", f"a {tag}.", f"a  {tag}")
    with memory("memory_slug") as entry:
        for value in (f"a {tag}", f"b {tag}", f"a {tag}", f"a {tag}", f"b {tag}", f"a {tag}", *similar):
            entry.update(content=value, title=value)

            assert {name: entry.read()[name] for name in ("content", "title")} == {"content": value, "title": value}


@pytest.mark.rule("memory.update.texts-unchanged")
def test_a_long_content_is_not_cut(memory: MemoryOf, api: Api) -> None:
    """Unless it is refused with 413: the specification shows no maximum size."""
    content = "contract " * 8_000 + "end"
    with memory("memory_slug") as entry:
        response = api("memory_update", slug=entry.slug, json={"content": content})
        if response.status_code == httpx.codes.REQUEST_ENTITY_TOO_LARGE:
            raise MissingError("the deployment refuses a content of 72 KB with 413")
        stored = entry.read()

    assert response.is_success
    assert differences(content, stored["content"]) == []


@pytest.mark.rule("memory.update.texts-unchanged")
@pytest.mark.parametrize(("field", "length"), [("title", 150), ("title", 300), ("description", 1100)])
def test_a_long_text_is_not_cut(memory: MemoryOf, api: Api, field: str, length: int) -> None:
    """It may be refused: the specification shows no maximum length."""
    text = "contract ".ljust(length - 1, "x") + "y"
    with memory("memory_slug") as entry:
        response = api("memory_update", slug=entry.slug, json={field: text})
        stored = entry.read()

    assert stored.get(field) == (entry.before.get(field) if refused(response) else text)


@pytest.mark.rule("memory.update.metadata-unchanged")
def test_any_json_is_metadata(memory: MemoryOf) -> None:
    """At each depth, of each kind, falsy values included, and without null as a member, which a service may drop."""
    sent = {**free_form(), "values": free_form()}
    with memory("memory_slug") as entry:
        updated = entry.update(metadata=sent)["metadata"]
        stored = entry.read()["metadata"]

    assert lost(sent, updated) == []
    assert lost(sent, stored) == []


@pytest.mark.rule("memory.update.metadata-unchanged")
def test_small_metadata_are_stored_unchanged(memory: MemoryOf) -> None:
    """They are all metadata of the update."""
    with memory("memory_slug") as entry:
        stored = [(data, entry.update(metadata=data)["metadata"], entry.read()["metadata"]) for data in SMALL]

    for sent, updated, read in stored:
        assert lost(sent, updated) == []
        assert differences(updated, read) == []


@pytest.mark.rule("memory.update.metadata-unchanged")
def test_every_member_of_metadata_can_be_replaced(memory: MemoryOf) -> None:
    """Whatever its name, and also if metadata are the only field of an update; none is a field of the entry."""
    names, values = list(FIELDS), list(FIELDS.values())
    with memory("memory_slug") as entry:
        first = entry.update(metadata=dict(FIELDS))
        sent = dict(zip(names, values[1:] + values[:1], strict=True)) | dict.fromkeys(MEMORY_ENTRY, "of metadata")
        after = entry.update(metadata=sent)
        stored = entry.read()

    assert value_differences(first["metadata"], sent, after["metadata"]) == []
    assert value_differences(first["metadata"], sent, stored["metadata"]) == []
    others = MEMORY_ENTRY.keys() - {"metadata", "updatedAt"}
    assert {name: stored.get(name) for name in others} == {name: first.get(name) for name in others}


@pytest.mark.rule("memory.update.falsy-values")
@pytest.mark.parametrize("field", ["title", "description", "content"])
def test_an_empty_text_is_applied_or_refused(memory: MemoryOf, api: Api, tag: str, field: str) -> None:
    """It is provided, so the old text does not remain as if it were not."""
    with memory("memory_slug") as entry:
        entry.update(**{field: f"before {tag}"})
        response = api("memory_update", slug=entry.slug, json={field: ""})
        stored = entry.read()

    expected = {"", None} if response.is_success else {f"before {tag}"}
    assert stored.get(field) in expected


@pytest.mark.rule("memory.update.falsy-values")
def test_falsy_metadata_replaces_other_metadata(memory: MemoryOf) -> None:
    before = dict.fromkeys(FALSY, "before")
    with memory("memory_slug") as entry:
        entry.update(metadata=before)
        entry.update(metadata=dict(FALSY))
        stored = entry.read()["metadata"]

    assert lost(FALSY, stored) == []


@pytest.mark.rule("memory.update.concurrent")
def test_concurrent_updates_of_different_fields_all_take_effect(memory: MemoryOf, api: Api, tag: str) -> None:
    """None is lost because another one writes the whole entry at the same time; one that is refused changes nothing."""
    with memory("memory_slug") as entry, ThreadPoolExecutor(len(ENTRY_FIELDS)) as writers:
        for number in range(3):
            before = entry.update(**{field: entry.new_value(field, f"{tag} before {number}") for field in ENTRY_FIELDS})
            sent = {field: entry.new_value(field, f"{tag} {number}") for field in ENTRY_FIELDS}
            statuses = list(
                writers.map(
                    lambda field, sent=sent: (
                        api("memory_update", slug=entry.slug, json={field: sent[field]}).status_code
                    ),
                    ENTRY_FIELDS,
                )
            )
            require_conclusive(statuses)
            done = [
                field for field, status in zip(ENTRY_FIELDS, statuses, strict=True) if httpx.codes.is_success(status)
            ]
            expected = {**updatable(before), **{field: sent[field] for field in done}}
            after = updatable(entry.read())
            # The specification leaves open whether metadata is replaced or merged.
            assert value_differences(before["metadata"], expected.pop("metadata"), after.pop("metadata")) == []
            assert differences(expected, after) == []
