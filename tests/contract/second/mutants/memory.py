"""Memory entries that are changed in another way than requested."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import settings
from ..service.app import Refusal
from ..service.workflows import is_real

entries = Kind("memory entries")


PROVIDED = "only provided fields are updated; the entry is addressed by slug."


ENTRY = "`id`, `projectId`, `slug`, `title`, `description`, `content` (strings), `metadata` (object), `createdAt`, `updatedAt` (date-time)."


def entry(name: str, sentence: str, change: Callable[[Json, Json], None]) -> None:
    """Register a mutant that does something else after an entry was changed, given the entry and the body."""

    def apply() -> None:
        original = settings.change

        def changed(value: Json, body: Json) -> None:
            before = deepcopy(value)
            original(value, body)
            change(value, {**body, "_before": before})

        patch(settings, "change", changed)

    entries.add(name, "memory_update", sentence, apply)


def restored(value: Json, body: Json, *names: str) -> None:
    """Give members of an entry their old values."""
    for name in names:
        value[name] = body["_before"][name]


entry(
    "a new title clears the description",
    PROVIDED,
    lambda value, body: value.update(description="") if "title" in body and "description" not in body else None,
)


entry(
    "new metadata clear the content",
    PROVIDED,
    lambda value, body: value.update(content="") if "metadata" in body and "content" not in body else None,
)


entry(
    "a new content replaces the metadata",
    PROVIDED,
    lambda value, body: value.update(metadata={}) if "content" in body and "metadata" not in body else None,
)


entry(
    "an empty update clears an entry",
    PROVIDED,
    lambda value, body: value.update(content="", title="") if len(body) == 1 else None,
)


entry(
    "a new title changes the slug",
    PROVIDED,
    lambda value, body: value.update(slug=value["title"].lower().replace(" ", "-")) if "title" in body else None,
)


entry(
    "only one field of an entry is updated",
    PROVIDED,
    lambda value, body: restored(value, body, *[name for name in body if name != "_before"][1:]),
)


entry(
    "the description of an entry cannot be changed",
    "Body: `title`, `description`, `content` (strings), `metadata` (object).",
    lambda value, body: restored(value, body, "description"),
)


entry(
    "the metadata of an entry cannot be changed",
    "Body: `title`, `description`, `content` (strings), `metadata` (object).",
    lambda value, body: restored(value, body, "metadata"),
)


entry(
    "the time of the last change is no date-time",
    ENTRY,
    lambda value, body: value.update(updatedAt="Mon, 03 May 2032 10:00:00 GMT"),
)


@entries("memory_update", ENTRY)
def metadata_of_an_entry_are_a_list() -> None:
    alter_value(
        "memory_update",
        lambda value: value["entry"].update(
            metadata=[[name, part] for name, part in value["entry"]["metadata"].items()]
        ),
    )


@entries("memory_update", ENTRY)
def the_slug_of_an_entry_is_its_last_part() -> None:
    alter_value("memory_update", lambda value: value["entry"].update(slug=value["entry"]["slug"].rpartition("/")[2]))


@entries("memory_update", PROVIDED)
def all_entries_are_updated() -> None:
    def every(perform: Any, call: Any) -> Any:
        value = perform(call)
        for other in call.world.memory.values():
            settings.change(other, call.body)
        return value

    wrap("memory_update", every)


entry(
    "an empty description remains beside a new title",
    PROVIDED,
    lambda value, body: (
        restored(value, body, "description") if "title" in body and body.get("description") == "" else None
    ),
)


entry(
    "a long content takes the metadata of the same update",
    PROVIDED,
    lambda value, body: restored(value, body, "metadata") if len(body.get("content", "")) > 1000 else None,
)


entry(
    "three fields at a time are updated",
    PROVIDED,
    lambda value, body: restored(value, body, *[name for name in body if name != "_before"][3:]),
)


@entries("memory_update", PROVIDED)
def entries_with_a_slash_keep_their_title_beside_metadata() -> None:
    change = settings.change

    def kept(value: Json, body: Json) -> None:
        change(value, {name: part for name, part in body.items() if not _kept(value, body, name)})

    def _kept(value: Json, body: Json, name: str) -> bool:
        return name == "title" and "/" in value["slug"] and "metadata" in body

    patch(settings, "change", kept)


@entries("memory_update", PROVIDED)
def a_refused_title_is_that_of_the_next_update() -> None:
    left: list[str] = []

    def remembered(perform: Any, call: Any) -> Any:
        body = call.body
        if left and "title" not in body and body:
            body = {**body, "title": left.pop()}
        try:
            return perform(replace(call, body=body))
        except Refusal:
            left[:] = [call.body["title"]] if isinstance(call.body.get("title"), str) else []
            raise

    wrap("memory_update", remembered)


@entries("memory_update", PROVIDED)
def a_service_account_updates_the_entry_as_the_owner_last_saw_it() -> None:
    seen: dict[str, Json] = {}

    def as_seen(perform: Any, call: Any) -> Any:
        entry = settings.find_entry(call)
        if not is_real(call):
            entry.update({name: seen.get(entry["slug"], entry)[name] for name in ("description", "content")})
        value = perform(call)
        if is_real(call):
            seen[entry["slug"]] = deepcopy(entry)
        return value

    wrap("memory_update", as_seen)


@entries("memory_update", ENTRY)
def new_metadata_do_not_change_the_time_of_the_last_change() -> None:
    change = settings.change

    def kept(value: Json, body: Json) -> None:
        before = value["updatedAt"]
        change(value, body)
        if set(body) == {"metadata"}:
            value["updatedAt"] = before

    patch(settings, "change", kept)


@entries("memory_update", ENTRY)
def the_time_of_the_last_change_is_that_of_the_creation() -> None:
    change = settings.change

    def first(value: Json, body: Json) -> None:
        change(value, body)
        value["updatedAt"] = value["createdAt"]

    patch(settings, "change", first)


@entries("memory_update", PROVIDED)
def empty_metadata_are_shared_by_entries() -> None:
    change = settings.change
    shared: Json = {}

    def sharing(value: Json, body: Json) -> None:
        if body.get("metadata") == {}:
            change(value, body)
            value["metadata"] = shared
        elif value.get("metadata") is shared and "metadata" in body:
            shared.update(body["metadata"])
            change(value, {name: part for name, part in body.items() if name != "metadata"})
        else:
            change(value, body)

    patch(settings, "change", sharing)
