"""Memory entries that are changed in another way than requested."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import settings

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
