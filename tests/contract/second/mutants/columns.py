"""Values that change because of the type, the length or the collation of a database column."""

from __future__ import annotations

import re
import struct
from typing import Any
from uuid import UUID

from ..mutant import Json, Kind, alter_body, alter_value, numbers, patch
from ..service import records

column = Kind("column")

RECORD_DATA = "`data` | object | free-form JSON keyed by field"
MAX_INT = 2**31 - 1
MAX_SINGLE = 3e38


@column("auth_check_permission", "Response: `{allowed: boolean}`.")
def permissions_are_small_integers() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed=int(value["allowed"])))


@column("workflows_create", "`name` | string | 1-200 chars")
def names_of_workflows_are_cut_to_the_length_of_an_index() -> None:
    alter_value("workflows_create", lambda value: value["workflow"].update(name=value["workflow"]["name"][:191]))


@column("workflows_create", "`tags` | array of string | max 12 items, each 1-40 chars")
def tags_are_separated_by_commas_in_a_column() -> None:
    def separated(value: Json) -> None:
        if tags := value["workflow"]["tags"]:
            value["workflow"]["tags"] = ",".join(tags).split(",")

    alter_value("workflows_create", separated)


@column("records_create", RECORD_DATA)
def whole_numbers_have_at_most_31_bits() -> None:
    stored = records.stored
    clamp = numbers(lambda number: max(-MAX_INT, min(MAX_INT, number)) if isinstance(number, int) else number)
    patch(records, "stored", lambda data: clamp(stored(data)))


@column("records_create", RECORD_DATA)
def fractions_have_single_precision() -> None:
    def single(number: Any) -> Any:
        if isinstance(number, int) or abs(number) > MAX_SINGLE:
            return number
        return struct.unpack("f", struct.pack("f", number))[0]

    stored = records.stored
    patch(records, "stored", lambda data: numbers(single)(stored(data)))


@column("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def trailing_blanks_of_expected_texts_do_not_count() -> None:
    contains = records.contains

    def padded(have: Any, want: Any) -> bool:
        if isinstance(have, str) and isinstance(want, str):
            return have.rstrip(" ") == want.rstrip(" ")
        return contains(have, want)

    patch(records, "contains", padded)


@column("records_update", "`createdAt`, `updatedAt` | date-time")
def the_time_of_creation_is_that_of_the_last_update() -> None:
    apply_changes = records.apply_changes

    def touched(call: Any, record: Json, body: Json) -> None:
        apply_changes(call, record, body)
        record["createdAt"] = record["updatedAt"]

    patch(records, "apply_changes", touched)


@column("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel`.")
def labels_of_the_sidebar_have_at_most_50_characters() -> None:
    def cut(body: Json) -> None:
        for section in body["sections"]:
            for labelled in (section, *section.get("items", [])):
                if "label" in labelled:
                    labelled["label"] = labelled["label"][:50]

    alter_body("sidebar_replace", cut)


@column("memory_update", "Body: `title`, `description`, `content` (strings), `metadata` (object).")
def content_ends_before_the_first_character_of_four_bytes() -> None:
    def cut(body: Json) -> None:
        body["content"] = re.split("[\U00010000-\U0010ffff]", body["content"])[0]

    alter_body("memory_update", cut)


@column("posts_list", "Post media: `sizeBytes` (integer), `orderIndex` (integer).")
def sizes_of_media_are_strings() -> None:
    def big(value: Json) -> None:
        for post in value["data"]["posts"]:
            for medium in post["media"]:
                medium["sizeBytes"] = str(medium["sizeBytes"])

    alter_value("posts_list", big)


@column("photo_analytics_list_media", "All identifiers are strings.")
def identifiers_of_media_are_numbers() -> None:
    def numeric(value: Json) -> None:
        for medium in value["data"]["media"]:
            medium["mediaId"] = int(medium["mediaId"])

    alter_value("photo_analytics_list_media", numeric)


@column("web_analytics_get_config", "`{projectId}` is a UUID.")
def the_project_of_the_configuration_has_no_hyphens() -> None:
    def packed(value: Json) -> None:
        if value["config"] is not None:
            value["config"]["projectId"] = UUID(value["config"]["projectId"]).hex

    alter_value("web_analytics_get_config", packed)
