"""New records whose data are kept in the way of a language or a store."""

from __future__ import annotations

import time
import unicodedata
from copy import deepcopy
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_value, members, patch, walk, wrap
from ..service import records
from ..service.app import Call

kept = Kind("kept data")

FREE = "`data` | object | free-form JSON keyed by field"


def changed(change: Any) -> None:
    """Change the data of a record before they are stored."""
    stored = records.stored
    patch(records, "stored", lambda data: change(stored(data)))


@kept("records_create", FREE)
def objects_with_numbers_for_keys_are_arrays() -> None:
    def listed(part: Json) -> Any:
        numbered = [str(place) for place in range(len(part))]
        return list(part.values()) if part and list(part) == numbered else part

    changed(lambda data: {key: members(listed)(value) for key, value in data.items()})


@kept("records_create", FREE)
def empty_objects_are_empty_arrays() -> None:
    changed(lambda data: {key: members(lambda part: part or [])(value) for key, value in data.items()})


@kept("records_create", FREE)
def keys_are_composed() -> None:
    changed(members(lambda part: {unicodedata.normalize("NFC", key): value for key, value in part.items()}))


@kept("records_create", FREE)
def hyphens_of_keys_are_underscores() -> None:
    changed(members(lambda part: {key.replace("-", "_"): value for key, value in part.items()}))


@kept("records_create", FREE)
def keys_that_are_empty_are_dropped() -> None:
    changed(members(lambda part: {key: value for key, value in part.items() if key}))


@kept("records_create", FREE)
def nulls_of_objects_in_arrays_are_dropped() -> None:
    def pruned(part: Any) -> Any:
        if not isinstance(part, list):
            return part
        return [
            {key: value for key, value in item.items() if value is not None} if isinstance(item, dict) else item
            for item in part
        ]

    changed(lambda data: walk(data, pruned))


@kept("records_create", FREE)
def the_texts_null_and_undefined_are_dropped() -> None:
    changed(
        members(lambda part: {key: value for key, value in part.items() if value not in ("null", "undefined", "NaN")})
    )


@kept("records_create", FREE)
def records_without_data_share_their_data() -> None:
    shared: Json = {}
    without: set[str] = set()

    def created(perform: Any, call: Call) -> Any:
        value = perform(call)
        if "data" in call.body:
            return value
        without.add(value["record"]["id"])
        record = call.world.records[call.project, value["record"]["id"]]
        record["data"] = deepcopy(shared)
        return {"record": records.shown(record)}

    def updated(perform: Any, call: Call) -> Any:
        value = perform(call)
        if value["record"]["id"] in without:
            shared.update(deepcopy(value["record"]["data"]))
        return value

    wrap("records_create", created)
    wrap("records_update", updated)


@kept("records_create", FREE)
def the_external_identifier_is_in_the_data() -> None:
    def copied(perform: Any, call: Call) -> Any:
        value = perform(call)
        record = call.world.records[call.project, value["record"]["id"]]
        if record["externalId"]:
            record["data"]["externalId"] = record["externalId"]
        return {"record": records.shown(record)}

    wrap("records_create", copied)


@kept("records_create", "`externalId` | string")
def external_identifiers_of_digits_are_numbers() -> None:
    def number(value: Json) -> None:
        id = value["record"]["externalId"]
        if id and id.isdigit():
            value["record"]["externalId"] = int(id)

    alter_value("records_create", number)


@kept("records_create", "`typeSlug` | string | object type identifier")
def types_of_records_are_in_the_plural() -> None:
    alter_value("records_create", lambda value: value["record"].update(typeSlug=value["record"]["typeSlug"] + "s"))


@kept("records_create", "`createdAt`, `updatedAt` | date-time")
def minutes_of_a_time_are_the_month() -> None:
    alter_value(
        "records_create",
        lambda value: value["record"].update(createdAt=time.strftime("%Y-%m-%dT%H:%m:%SZ", time.gmtime())),
    )


@kept("records_create", "`personRefId` | string | set when a person-linked type matches identity in data")
def records_of_every_type_have_a_person() -> None:
    link = records.link

    def linked(call: Call, record: Json, identity: Json) -> None:
        types = call.world.types
        call.world.types = dict.fromkeys(types, True)
        link(call, record, identity)
        call.world.types = types

    patch(records, "link", linked)


@kept(
    "records_create",
    "When the type has `linksToPerson` enabled and the payload carries matching identity, the service attaches an existing "
    "Person or creates one, and the record carries `personRefId`.",
)
def each_record_has_a_person_of_its_own() -> None:
    def created(value: Json) -> None:
        if value["record"].get("personRefId"):
            value["record"]["personRefId"] = f"per-{uuid4().hex[:8]}"

    alter_value("records_create", created)
