"""Collections and comparisons that behave as those of a language do, and not as those of JSON."""

from __future__ import annotations

import re
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import records
from ..service.app import Call
from ..service.permissions import ACTIONS, RESOURCES

native = Kind("native collection")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
EXPECTED = (
    "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition. "
    "When either is stale, the response is 409 and the record is unchanged."
)

_NUMERIC = re.compile(r"\s*[+-]?(\d+(\.\d*)?|\.\d+)([eE][+-]?\d{1,3})?\s*")


@native("auth_check_permission", "Every resource below has all three.")
def the_permission_at_place_zero_is_not_found() -> None:
    def searched(perform: Any, call: Call) -> Any:
        value = perform(call)
        granted = [f"{resource}:{action}" for resource in RESOURCES for action in ACTIONS]
        return {**value, "allowed": value["allowed"] and bool(granted.index(call.query["scope"]))}

    wrap("auth_check_permission", searched)


@native("records_update", MERGE)
def a_changed_value_is_merged_with_the_old_one_into_an_array() -> None:
    merged = records.merged

    def many(value: Any) -> list[Any]:
        return value if isinstance(value, list) else [value]

    def recursive(old: Json, changes: Json) -> Json:
        result = merged(old, changes)
        for key, value in changes.items():
            if key in old and value is not None and not isinstance(value, dict) and not isinstance(old[key], dict):
                result[key] = [*many(old[key]), *many(value)]
        return result

    patch(records, "merged", recursive)


@native("records_update", MERGE)
def keys_of_digits_are_numbered_anew_by_a_merge() -> None:
    merged = records.merged

    def renumbered(old: Json, changes: Json) -> Json:
        result = merged(old, changes)
        if not old:
            return result
        values = [value for key, value in old.items() if key.isdecimal() and changes.get(key, "") is not None]
        values += [value for key, value in changes.items() if key.isdecimal() and value is not None]
        others = {key: value for key, value in result.items() if not key.isdecimal()}
        return others | {str(number): value for number, value in enumerate(values)}

    patch(records, "merged", renumbered)


@native("records_update", EXPECTED)
def expected_whole_numbers_above_127_are_other_objects() -> None:
    contains = records.contains

    def identical(have: Any, want: Any) -> bool:
        boxed = type(have) is int and type(want) is int and not -128 <= want <= 127
        return not boxed and contains(have, want)

    patch(records, "contains", identical)


@native("records_update", EXPECTED)
def expected_texts_of_digits_are_compared_by_their_value() -> None:
    contains = records.contains

    def loose(have: Any, want: Any) -> bool:
        if isinstance(have, str) and isinstance(want, str) and _NUMERIC.fullmatch(have) and _NUMERIC.fullmatch(want):
            return float(have) == float(want)
        return contains(have, want)

    patch(records, "contains", loose)


@native("agents_list", "Response: `{agents: [Agent definition], pagination: Pagination}`.")
def agents_of_a_later_page_keep_the_keys_of_the_list() -> None:
    def keyed(value: Json) -> None:
        offset = value["pagination"]["offset"]
        if offset and value["agents"]:
            value["agents"] = {str(offset + place): agent for place, agent in enumerate(value["agents"])}

    alter_value("agents_list", keyed)


@native(
    "photo_analytics_list_media", "Response: `{success: boolean, data: {media: [Photo-network media analytics item]}}`."
)
def media_keep_the_keys_that_they_had_before_they_were_sorted() -> None:
    def keyed(value: Json) -> None:
        media = value["data"]["media"]
        order = sorted(range(len(media)), key=lambda place: -media[place]["engagement"])
        if order != list(range(len(media))):
            value["data"]["media"] = {str(place): media[place] for place in order}

    alter_value("photo_analytics_list_media", keyed)
