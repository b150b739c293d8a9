"""Names and values that a JSON library or a serializer changes on the way in or out."""

from __future__ import annotations

import re
from datetime import UTC, datetime
from typing import Any

from ..mutant import Json, Kind, alter_value, arrays, patch, texts
from ..service import records

serializer = Kind("serializer")

RECORD_DATA = "`data` | object | free-form JSON keyed by field"
_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?(Z|[+-]\d\d:\d\d)")
_NUMBER = re.compile(r"[0-9]{1,15}")
_UPSTREAM = {"mediaId": "id"}


def snake(name: str) -> str:
    """Return a name in snake case."""
    return re.sub("([A-Z])", lambda match: "_" + match[1].lower(), name)


def store(change: Any) -> None:
    """Change the data of records before they are stored."""
    stored = records.stored
    patch(records, "stored", lambda data: change(stored(data)))


@serializer("records_create", RECORD_DATA)
def texts_of_timestamps_are_converted_to_utc() -> None:
    def converted(text: str) -> str:
        if not _INSTANT.fullmatch(text):
            return text
        try:
            return datetime.fromisoformat(text).astimezone(UTC).isoformat().replace("+00:00", "Z")
        except (ValueError, OverflowError):
            return text

    store(texts(converted))


@serializer("records_create", RECORD_DATA)
def null_is_left_out_of_arrays() -> None:
    store(arrays(lambda items: [item for item in items if item is not None]))


@serializer("sidebar_replace", "Response: `{success: boolean, data: {sections: [...]}}` as in Sidebar configuration.")
def sections_are_serialized_without_their_items() -> None:
    def flat(value: Json) -> None:
        for section in value["data"]["sections"]:
            del section["items"]

    alter_value("sidebar_replace", flat)


@serializer(
    "sidebar_replace",
    "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel` (all strings).",
)
def texts_of_the_sidebar_that_look_like_numbers_are_numbers() -> None:
    def numeric(text: str) -> Any:
        return int(text) if _NUMBER.fullmatch(text) else text

    def change(value: Json) -> None:
        value["data"]["sections"] = texts(numeric)(value["data"]["sections"])

    alter_value("sidebar_replace", change)


@serializer(
    "web_analytics_get_config",
    "`id`, `projectId`, `analyticsPropertyId`, `analyticsIntegrationAccountId`, `searchSiteUrl`, `enabled` (boolean).",
)
def members_of_the_configuration_are_in_snake_case() -> None:
    def change(value: Json) -> None:
        if value["config"] is not None:
            value["config"] = {snake(name): member for name, member in value["config"].items()}

    alter_value("web_analytics_get_config", change)


@serializer(
    "photo_analytics_list_media",
    "`mediaId`, `mediaType`, `timestamp`, `caption`, `mediaUrl`, `permalink` (strings); `likeCount`, `commentsCount`.",
)
def media_have_the_names_of_the_network() -> None:
    def change(value: Json) -> None:
        value["data"]["media"] = [
            {_UPSTREAM.get(name, snake(name)): member for name, member in medium.items()}
            for medium in value["data"]["media"]
        ]

    alter_value("photo_analytics_list_media", change)


@serializer("photo_analytics_list_media", "`reach`, `saved`, `engagement` (integers).")
def engagement_is_a_rate() -> None:
    def change(value: Json) -> None:
        for medium in value["data"]["media"]:
            medium["engagement"] = round(medium["engagement"] / max(1, medium["reach"]), 4)

    alter_value("photo_analytics_list_media", change)
