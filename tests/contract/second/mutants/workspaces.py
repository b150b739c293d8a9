"""Sidebars and entries that are stored or answered in another way than requested."""

from __future__ import annotations

import re
import unicodedata
from copy import deepcopy
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_body, alter_replies, alter_value, patch, wrap
from ..service import settings
from ..service.app import Call, Reply, Request
from ..service.world import now

sidebar = Kind("sections")
memory = Kind("memory")
application = Kind("application")
bound = Kind("bound")

LIST = "The entire section list of the project is replaced."
PROVIDED = "Only provided fields are updated; the entry is addressed by slug."
ENTRY = "Response: `{entry: Memory entry}`."


@sidebar("sidebar_replace", LIST)
def an_empty_sidebar_is_the_one_of_the_start() -> None:
    start = [{"id": "main", "label": "Main", "items": [{"id": "home", "label": "Home", "href": "/"}]}]

    def default(body: Json) -> None:
        body["sections"] = body["sections"] or deepcopy(start)

    alter_body("sidebar_replace", default)


@sidebar("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_are_sorted_by_label() -> None:
    def ordered(body: Json) -> None:
        body["sections"].sort(key=lambda section: section["label"])

    alter_body("sidebar_replace", ordered)


@sidebar("sidebar_replace", LIST)
def an_item_is_in_one_section_only() -> None:
    def once(body: Json) -> None:
        seen: set[str] = set()
        for section in body["sections"]:
            section["items"] = [item for item in section["items"] if item["id"] not in seen]
            seen.update(item["id"] for item in section["items"])

    alter_body("sidebar_replace", once)


@sidebar(
    "sidebar_replace",
    "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings).",
)
def addresses_of_items_are_absolute() -> None:
    item_of = settings.item_of

    def absolute(value: Json) -> Json:
        result = item_of(value)
        if result.get("href", "").startswith("/"):
            result["href"] = "https://second.example" + result["href"]
        return result

    patch(settings, "item_of", absolute)


@sidebar("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def items_of_an_empty_section_are_null() -> None:
    def null(value: Json) -> None:
        for section in value["data"]["sections"]:
            section["items"] = section["items"] or None

    alter_value("sidebar_replace", null)


@memory("memory_update", "`id`, `projectId`, `slug`, `title`, `description`, `content` (strings)")
def each_update_of_an_entry_has_an_identifier() -> None:
    change = settings.change

    def versioned(entry: Json, body: Json) -> None:
        change(entry, body)
        entry["id"] = str(uuid4())

    patch(settings, "change", versioned)


@memory("memory_update", "`createdAt`, `updatedAt` (date-time)")
def an_entry_was_created_at_its_last_update() -> None:
    change = settings.change

    def touched(entry: Json, body: Json) -> None:
        change(entry, body)
        entry["createdAt"] = now()

    patch(settings, "change", touched)


@memory("memory_update", "The entry is addressed by slug.")
def an_underscore_in_a_slug_is_any_character() -> None:
    find_entry = settings.find_entry

    def like(call: Call) -> Json:
        pattern = re.escape(call.path["slug"]).replace("_", ".").replace("%", ".*")
        for project, slug in call.world.memory:
            if project == call.project and re.fullmatch(pattern, slug):
                call.path["slug"] = slug
                break
        return find_entry(call)

    patch(settings, "find_entry", like)


@memory("memory_update", PROVIDED)
def content_is_composed() -> None:
    def composed(body: Json) -> None:
        body["content"] = unicodedata.normalize("NFC", body["content"])

    alter_body("memory_update", composed)


@memory("memory_update", PROVIDED)
def tabs_of_content_are_blanks() -> None:
    def blank(body: Json) -> None:
        body["content"] = body["content"].expandtabs(4)

    alter_body("memory_update", blank)


@memory("memory_update", ENTRY)
def description_and_content_of_an_entry_are_swapped_in_the_answer() -> None:
    def swapped(value: Json) -> None:
        entry = value["entry"]
        entry["description"], entry["content"] = entry["content"], entry["description"]

    alter_value("memory_update", swapped)


@memory("memory_update", ENTRY)
def an_update_of_an_entry_is_answered_with_its_fields_alone() -> None:
    def cut(perform: Any, call: Call) -> Any:
        entry = perform(call)["entry"]
        return {"entry": {name: value for name, value in entry.items() if name in {"id", "slug", *call.body}}}

    wrap("memory_update", cut)


@memory("memory_update", "Error body (JSON): `message` (string, always present)")
def an_unknown_entry_is_answered_with_success() -> None:
    def answered(name: str | None, request: Request, reply: Reply) -> Reply:
        return Reply(200, reply.body, reply.headers) if (name, reply.status) == ("memory_update", 404) else reply

    alter_replies(answered)
