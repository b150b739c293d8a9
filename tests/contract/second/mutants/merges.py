"""Updates of records whose merge or precondition is right for the usual body only."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_value, patch, wrap
from ..service import records
from ..service.app import Call, Refusal, Reply
from ..service.world import now

merge = Kind("merge")
condition = Kind("condition")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
CONTAINMENT = "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition."
STALE = "When either is stale, the response is 409 and the record is unchanged."


@merge("records_update", MERGE)
def keys_are_deleted_only_if_nothing_is_set() -> None:
    merged = records.merged

    def guarded(old: Json, changes: Json) -> Json:
        values = {key: value for key, value in changes.items() if value is not None}
        return merged(old, values or changes)

    patch(records, "merged", guarded)


@merge("records_update", MERGE)
def an_update_that_only_deletes_has_nothing_to_do() -> None:
    merged = records.merged
    patch(
        records,
        "merged",
        lambda old, changes: (
            deepcopy(old) if changes and all(value is None for value in changes.values()) else merged(old, changes)
        ),
    )


@merge("records_update", MERGE)
def a_key_that_was_deleted_cannot_be_set_again() -> None:
    apply_changes = records.apply_changes
    deleted: dict[str, set[str]] = {}

    def filtered(call: Call, record: Json, body: Json) -> None:
        gone = deleted.setdefault(record["id"], set())
        data = {key: value for key, value in body.get("data", {}).items() if key not in gone}
        gone.update(key for key, value in data.items() if value is None)
        apply_changes(call, record, {**body, "data": data})

    patch(records, "apply_changes", filtered)


@merge("records_update", MERGE)
def deleted_keys_come_back_with_the_next_update() -> None:
    apply_changes = records.apply_changes
    removed: dict[str, Json] = {}

    def restored(call: Call, record: Json, body: Json) -> None:
        record["data"] = {**removed.pop(record["id"], {}), **record["data"]}
        gone = [key for key, value in body.get("data", {}).items() if value is None]
        removed[record["id"]] = {key: record["data"][key] for key in gone if key in record["data"]}
        apply_changes(call, record, body)

    patch(records, "apply_changes", restored)


@merge("records_update", MERGE)
def the_answer_of_an_update_has_the_data_before_it() -> None:
    def late(perform: Any, call: Call) -> Any:
        record = call.world.records.get((call.project, call.path["recordId"]))
        before = deepcopy(record["data"]) if record else None
        value = perform(call)
        return {"record": {**value["record"], "data": before}}

    wrap("records_update", late)


@merge("records_update", "Response: `{record: Object record}`.")
def an_update_that_changes_nothing_has_no_content() -> None:
    def unchanged(perform: Any, call: Call) -> Any:
        record = call.world.records.get((call.project, call.path["recordId"]))
        before = deepcopy(record["data"]) if record else None
        value = perform(call)
        return Reply(204, b"", {}) if value["record"]["data"] == before else value

    wrap("records_update", unchanged)


@merge("records_update", "All identifiers are strings.")
def identifiers_of_records_are_read_as_numbers() -> None:
    find_record = records.find_record

    def parsed(call: Call) -> Json:
        id = call.path["recordId"]
        digits = id[: next((place for place, sign in enumerate(id) if not sign.isdigit()), len(id))]
        call.path["recordId"] = digits or id
        return find_record(call)

    patch(records, "find_record", parsed)


@merge("records_update", MERGE)
def a_key_is_deleted_by_the_text_null_as_well() -> None:
    merged = records.merged
    patch(
        records,
        "merged",
        lambda old, changes: merged(old, {key: None if value == "null" else value for key, value in changes.items()}),
    )


@merge("records_update", MERGE)
def keys_of_the_record_are_data_keys_to_skip() -> None:
    merged = records.merged
    fields = {"id", "typeSlug", "externalId", "status", "createdAt", "updatedAt", "currency", "displayName"}
    patch(
        records,
        "merged",
        lambda old, changes: merged(
            old, {key: value for key, value in changes.items() if key not in fields} if old else changes
        ),
    )


@condition("records_update", CONTAINMENT)
def empty_expected_data_are_always_stale() -> None:
    stale_data = records.stale_data
    patch(records, "stale_data", lambda record, body: body.get("expectedData") == {} or stale_data(record, body))


@condition("records_update", CONTAINMENT)
def expected_data_are_the_whole_data() -> None:
    patch(records, "stale_data", lambda record, body: "expectedData" in body and body["expectedData"] != record["data"])


@condition("records_update", CONTAINMENT)
def expected_objects_below_the_top_are_equal() -> None:
    patch(
        records,
        "stale_data",
        lambda record, body: any(
            key not in record["data"] or record["data"][key] != value
            for key, value in body.get("expectedData", {}).items()
        ),
    )


@condition("records_update", CONTAINMENT)
def expected_objects_have_the_order_of_the_stored_keys() -> None:
    stale_data = records.stale_data

    def text(value: Any) -> str:
        return json.dumps(value)

    def ordered(record: Json, body: Json) -> bool:
        values = [
            (record["data"][key], value)
            for key, value in body.get("expectedData", {}).items()
            if isinstance(value, dict) and isinstance(record["data"].get(key), dict)
        ]
        return stale_data(record, body) or any(
            text({key: have[key] for key in have if key in want}) != text(want) for have, want in values
        )

    patch(records, "stale_data", ordered)


@condition("records_update", CONTAINMENT)
def an_expected_number_equals_its_text() -> None:
    contains = records.contains

    def loose(have: Any, want: Any) -> bool:
        scalars = (str, int, float)
        if isinstance(have, scalars) and isinstance(want, scalars) and bool not in {type(have), type(want)}:
            return str(have) == str(want)
        return contains(have, want)

    patch(records, "contains", loose)


@condition("records_update", CONTAINMENT)
def an_expected_array_of_one_element_equals_the_element() -> None:
    contains = records.contains

    def loose(have: Any, want: Any) -> bool:
        if isinstance(want, list) and len(want) == 1 and not isinstance(have, list):
            return contains(have, want[0])
        if isinstance(have, list) and len(have) == 1 and not isinstance(want, list):
            return contains(have[0], want)
        return contains(have, want)

    patch(records, "contains", loose)


@condition("records_update", CONTAINMENT)
def an_expected_status_is_compared_with_the_data_if_they_have_one() -> None:
    patch(
        records,
        "stale_status",
        lambda record, body: (
            "expectedStatus" in body and body["expectedStatus"] != record["data"].get("status", record["status"])
        ),
    )


def refused_with(status: int, part: str) -> None:
    """Answer a stale precondition with another status."""
    original = getattr(records, part)

    def refused(record: Json, body: Json) -> bool:
        if original(record, body):
            raise Refusal(status, "The record has changed.", "stale")
        return False

    patch(records, part, refused)


@condition("records_update", STALE)
def a_stale_status_is_a_failed_precondition() -> None:
    refused_with(412, "stale_status")


@condition("records_update", STALE)
def stale_data_are_unprocessable() -> None:
    refused_with(422, "stale_data")


@condition("records_update", STALE)
def a_stale_update_changes_the_time_of_the_last_change() -> None:
    stale = records.stale

    def touched(record: Json, body: Json) -> bool:
        result = stale(record, body)
        if result:
            record["updatedAt"] = now()
        return result

    patch(records, "stale", touched)


@condition("records_update", STALE)
def a_stale_update_is_answered_with_the_record() -> None:
    def answered(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code != "stale":
                raise
            return {"record": records.shown(records.find_record(call))}

    wrap("records_update", answered)


@condition("records_update", CONTAINMENT)
def a_stale_precondition_is_forgiven_to_the_last_editor() -> None:
    apply_changes, find_record, stale = records.apply_changes, records.find_record, records.stale
    editors: dict[str, str] = {}
    caller: list[str] = [""]

    def found(call: Call) -> Json:
        caller[0] = call.user
        return find_record(call)

    def noted(call: Call, record: Json, body: Json) -> None:
        editors[record["id"]] = call.user
        apply_changes(call, record, body)

    patch(records, "find_record", found)
    patch(records, "apply_changes", noted)
    patch(records, "stale", lambda record, body: editors.get(record["id"]) != caller[0] and stale(record, body))


@merge("records_update", "`id` | string")
def an_update_is_answered_with_the_identifier_of_a_new_version() -> None:
    alter_value("records_update", lambda value: value["record"].update(id=value["record"]["id"] + "-2"))
