"""Sidebars and memory entries that are saved in another way than requested."""

from __future__ import annotations

import re
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import settings
from ..service.app import Call, Refusal

sidebars = Kind("saved sidebar")
entries = Kind("saved memory entry")

REPLACED = "The entire section list of the project is replaced."
SECTIONS = "An object with `sections`: an ordered array of section {`id`, `label`, `items`}."
ITEM = "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings)."
HIDING = "Hiding an entry never denies authority: a user with read access to the underlying resource can still reach it by URL."
PROVIDED = "Only provided fields are updated; the entry is addressed by slug."
SLUGS = "Slugs may contain `/` for hierarchical paths; the slug path parameter is described as a single segment."


def replaced(change: Callable[[list[Json], list[Json]], list[Json]]) -> None:
    """Save other sections, given the sections before the request and those of the request."""

    def altered(perform: Any, call: Call) -> Any:
        before = deepcopy(call.world.sidebars.get(call.project, []))
        value = perform(call)
        sections = change(before, value["data"]["sections"])
        call.world.sidebars[call.project] = sections
        return {**value, "data": {"sections": deepcopy(sections)}}

    wrap("sidebar_replace", altered)


@sidebars("sidebar_replace", REPLACED)
def an_empty_sidebar_keeps_its_sections() -> None:
    replaced(lambda before, sent: sent or before)


@sidebars("sidebar_replace", SECTIONS)
def sections_with_a_number_as_their_identifier_are_first() -> None:
    def by_number(before: list[Json], sent: list[Json]) -> list[Json]:
        def place(section: Json) -> tuple[bool, int]:
            id = str(section.get("id"))
            number = re.fullmatch("0|[1-9][0-9]{0,8}", id) is not None
            return not number, int(id) if number else 0

        return sorted(sent, key=place)

    replaced(by_number)


@sidebars("sidebar_replace", ITEM)
def a_feature_is_in_one_section_only() -> None:
    def once(before: list[Json], sent: list[Json]) -> list[Json]:
        known: set[str] = set()
        for section in sent:
            items = []
            for item in section["items"]:
                feature = item.get("featureId")
                if feature is None or feature not in known:
                    items.append(item)
                known.add(str(feature))
            section["items"] = items
        return sent

    replaced(once)


@sidebars("sidebar_replace", REPLACED)
def custom_labels_outlive_their_replacement() -> None:
    def kept(before: list[Json], sent: list[Json]) -> list[Json]:
        labels = {
            item["id"]: item["customLabel"]
            for section in before
            for item in section["items"]
            if "id" in item and "customLabel" in item
        }
        for section in sent:
            for item in section["items"]:
                if item.get("id") in labels:
                    item.setdefault("customLabel", labels[item["id"]])
        return sent

    replaced(kept)


@sidebars("sidebar_replace", ITEM)
def labels_of_items_have_at_most_fifty_characters() -> None:
    def cut(before: list[Json], sent: list[Json]) -> list[Json]:
        for section in sent:
            for item in section["items"]:
                if "label" in item:
                    item["label"] = item["label"][:50]
        return sent

    replaced(cut)


@sidebars("sidebar_replace", HIDING)
def viewers_of_an_empty_sidebar_cannot_read_the_analytics_configuration() -> None:
    def denied(perform: Any, call: Call) -> Any:
        hidden = not any(section["items"] for section in call.world.sidebars.get(call.project, []))
        if hidden and call.world.members[call.project, call.user] == "reader":
            raise Refusal(403, "The entry is hidden.")
        return perform(call)

    wrap("web_analytics_get_config", denied)


def updated(change: Callable[[Json, Json, Json], None]) -> None:
    """Change entries further after an update, in place, given the entry, the entry before and the body."""
    update = settings.change

    def altered(entry: Json, body: Json) -> None:
        before = deepcopy(entry)
        update(entry, body)
        change(entry, before, body)

    patch(settings, "change", altered)


def provided(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the body of an update in place."""
    entries.add(name, "memory_update", sentence, lambda: alter_body("memory_update", change))


provided(
    "texts of an entry cannot be emptied",
    PROVIDED,
    lambda body: [body.pop(name) for name in ("title", "description", "content") if body.get(name) == ""],
)


provided("contents of entries are trimmed", PROVIDED, lambda body: body.update(content=body["content"].strip()))


@entries("memory_update", PROVIDED)
def a_new_title_is_also_the_description_if_there_is_none() -> None:
    def described(entry: Json, before: Json, body: Json) -> None:
        if "title" in body and not entry["description"]:
            entry["description"] = entry["title"]

    updated(described)


@entries("memory_update", PROVIDED)
def new_contents_add_their_size_to_the_metadata() -> None:
    def measured(entry: Json, before: Json, body: Json) -> None:
        if "content" in body:
            entry["metadata"] = {**entry["metadata"], "words": len(entry["content"].split())}

    updated(measured)


@entries("memory_update", PROVIDED)
def updates_are_written_over_the_entry_as_it_was_read_first() -> None:
    first: dict[str, Json] = {}

    def written(entry: Json, before: Json, body: Json) -> None:
        known = first.setdefault(entry["id"], before)
        entry.update(
            {name: known[name] for name in ("title", "description", "content", "metadata") if name not in body}
        )

    updated(written)


@entries("memory_update", SLUGS)
def entries_are_found_by_the_start_of_their_slug() -> None:
    find = settings.find_entry

    def find_entry(call: Call) -> Json:
        for project, slug in call.world.memory:
            if project == call.project and slug.startswith(call.path["slug"]):
                call.path["slug"] = slug
                break
        return find(call)

    patch(settings, "find_entry", find_entry)


@entries("memory_update", SLUGS)
def entries_are_found_by_the_last_part_of_their_slug() -> None:
    find = settings.find_entry

    def find_entry(call: Call) -> Json:
        for project, slug in call.world.memory:
            if project == call.project and slug.rpartition("/")[2] == call.path["slug"].rpartition("/")[2]:
                call.path["slug"] = slug
                break
        return find(call)

    patch(settings, "find_entry", find_entry)
