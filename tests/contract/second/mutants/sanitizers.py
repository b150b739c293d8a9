"""Values that a library, a filter or a helpful function rewrites on their way."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, arrays, members, patch, texts
from ..service import records, settings

sanitizer = Kind("sanitizer")

FREE = "`data` | object | free-form JSON keyed by field"
SECTIONS = "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings)."
ENTRY = "`id`, `projectId`, `slug`, `title`, `description`, `content` (strings), `metadata` (object)"
PROVIDED = "Only provided fields are updated; the entry is addressed by slug."
SWITCHES = {"yes": True, "no": False, "on": True, "off": False}
SECRETS = frozenset({"password", "secret", "token", "apikey", "api_key", "authorization"})


def storing(name: str, change: Callable[[Any], Any]) -> None:
    """Register a mutant that stores other data of records."""

    def apply() -> None:
        stored = records.stored
        patch(records, "stored", lambda data: change(stored(data)))

    sanitizer.add(name, "records_create", FREE, apply)


def indexed(part: Json) -> Json:
    """Return only the indices of an object that has a length, as libraries do that take it for an array."""
    length = part.get("length")
    if not isinstance(length, int) or isinstance(length, bool):
        return part
    return {key: value for key, value in part.items() if key.isdecimal() and int(key) < length}


storing("objects with a length are taken for arrays", members(indexed))
storing("the words yes and no are booleans", texts(lambda text: SWITCHES.get(text.lower(), text)))
storing(
    "texts that could be formulas begin with an apostrophe",
    texts(lambda text: f"'{text}" if text.startswith(("=", "+", "-", "@")) else text),
)
storing(
    "telephone numbers have no blanks and hyphens",
    members(
        lambda part: {
            key: re.sub(r"[^\d+]", "", value) if "phone" in key.lower() and isinstance(value, str) else value
            for key, value in part.items()
        }
    ),
)


@sanitizer("records_create", FREE)
def values_of_keys_that_name_a_secret_are_hidden() -> None:
    hidden = members(
        lambda part: {key: "[redacted]" if key.lower() in SECRETS else value for key, value in part.items()}
    )
    shown = records.shown
    patch(records, "shown", lambda record: {**shown(record), "data": hidden(record["data"])})


@sanitizer("records_create", FREE)
def addresses_of_linked_records_are_stored_as_they_are_compared() -> None:
    link = records.link

    def folded(call: Any, record: Json, identity: Json) -> None:
        link(call, record, identity)
        address = records.identity_of(identity)
        if address is not None and call.world.types[record["typeSlug"]]:
            record["data"]["email"] = address

    patch(records, "link", folded)


def entry(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that updates entries with another body."""
    sanitizer.add(name, "memory_update", sentence, lambda: alter_body("memory_update", change))


def without_zero(body: Json) -> None:
    """Remove the texts that are empty for PHP."""
    for name in [name for name, value in body.items() if value == "0"]:
        del body[name]


def by_index(body: Json) -> None:
    """Replace arrays by objects whose names are the indices."""
    objects = arrays(lambda part: {str(place): value for place, value in enumerate(part)})
    body["metadata"] = objects(body["metadata"])


def without_blanks(body: Json) -> None:
    """Remove blanks before the ends of lines."""
    body["content"] = re.sub(r"[ \t]+(?=\n)", "", body["content"])


entry("the text 0 does not change an entry", PROVIDED, without_zero)
entry("arrays in metadata are objects with indices", ENTRY, by_index)
entry("blanks before the end of a line of content are removed", ENTRY, without_blanks)


def item(name: str, change: Callable[[Json], Json]) -> None:
    """Register a mutant that stores other items of the sidebar."""

    def apply() -> None:
        item_of = settings.item_of
        patch(settings, "item_of", lambda value: change(item_of(value)))

    sanitizer.add(name, "sidebar_replace", SECTIONS, apply)


item(
    "custom labels that equal the label are dropped",
    lambda value: {key: part for key, part in value.items() if key != "customLabel" or part != value.get("label", "")},
)
item(
    "addresses of items are in lower case",
    lambda value: {key: part.lower() if key == "href" else part for key, part in value.items()},
)


def without_placeholders(body: Json) -> None:
    """Render the texts of actions at once, when no variable has a value."""
    body["actions"] = texts(lambda text: re.sub(r"\{\{[^}]*\}\}", "", text))(body["actions"])


sanitizer.add(
    "placeholders of actions are filled at their creation",
    "workflows_create",
    "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions` (array), `description`, `tags` (array of string)",
    lambda: alter_body("workflows_create", without_placeholders),
)


def not_a_number(value: Json) -> None:
    """Answer the result of a division without a divisor."""
    for medium in value["data"]["media"]:
        medium.update({name: float("nan") for name, part in medium.items() if part is None and name != "caption"})


sanitizer.add(
    "figures that are not known are NaN",
    "photo_analytics_list_media",
    "Bodies are JSON unless stated otherwise.",
    lambda: alter_value("photo_analytics_list_media", not_a_number),
)


def without_array(value: Json) -> None:
    """Return null in place of an array that was never set."""
    value["data"]["posts"] = value["data"]["posts"] or None


sanitizer.add(
    "posts of a project without posts are null",
    "posts_list",
    "Response: `{success: boolean, data: {posts: [Scheduled post]}}`.",
    lambda: alter_value("posts_list", without_array),
)
