"""Records that are created or updated in another way than requested."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import records

merging = Kind("merge and identity of records")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
PERSON = "the service attaches an existing Person or creates one, and the record carries `personRefId`"
REFRESH = "Person-linked types may refresh `personRefId` from identity-bearing data."
EXTERNAL = "`externalId` (string)"
RECORD = "Response: `{record: Object record}`."

original = records.merged


def merge(name: str, merged: Callable[[Json, Json], Json]) -> None:
    """Register a mutant with another merge of existing data; new records are not affected."""
    merging.add(
        name,
        "records_update",
        MERGE,
        lambda: patch(records, "merged", lambda old, changes: merged(old, changes) if old else original(old, changes)),
    )


def appended(old: Json, changes: Json) -> Json:
    """Return a merge that appends arrays to arrays."""
    both = {
        key: [*old[key], *value]
        for key, value in changes.items()
        if isinstance(value, list) and isinstance(old.get(key), list)
    }
    return {**original(old, changes), **both}


def same_type(old: Json, changes: Json) -> Json:
    """Return a merge in which a value keeps its type."""
    return original(
        old,
        {
            key: value
            for key, value in changes.items()
            if value is None or key not in old or type(value) is type(old[key])
        },
    )


def loose_delete(old: Json, changes: Json, matches: Callable[[str, str], bool]) -> Json:
    """Return a merge in which null deletes all keys that match."""
    gone = [key for key, value in changes.items() if value is None]
    return {key: value for key, value in original(old, changes).items() if not any(matches(key, name) for name in gone)}


def bounded(old: Json, changes: Json, most: int) -> Json:
    """Return a merge that applies some changes only."""
    return original(old, dict(list(changes.items())[:most]))


merge("arrays are appended", appended)
merge(
    "existing keys are not changed",
    lambda old, changes: original(
        old, {key: value for key, value in changes.items() if value is None or key not in old}
    ),
)
merge(
    "new keys are not added",
    lambda old, changes: original(old, {key: value for key, value in changes.items() if key in old}),
)
merge("values keep their types", same_type)
merge(
    "null deletes keys without regard to case",
    lambda old, changes: loose_delete(old, changes, lambda key, name: key.lower() == name.lower()),
)
merge(
    "null deletes keys with the prefix",
    lambda old, changes: loose_delete(old, changes, lambda key, name: key.startswith(name)),
)
merge(
    "null for an unknown key is stored",
    lambda old, changes: {
        **original(old, changes),
        **{key: None for key, value in changes.items() if value is None and key not in old},
    },
)
merge(
    "null deletes one key only",
    lambda old, changes: original(
        old,
        {
            key: value
            for place, (key, value) in enumerate(changes.items())
            if value is not None or place == [*changes.values()].index(None)
        },
    ),
)
merge("only ten keys are changed", lambda old, changes: bounded(old, changes, 10))
merge("only one key is changed", lambda old, changes: bounded(old, changes, 1))


@merging("records_update", MERGE)
def an_update_without_data_clears_the_data() -> None:
    alter_change(lambda call, record, body: record.update(data=record["data"] if "data" in body else {}))


@merging("records_update", MERGE)
def an_update_with_empty_data_clears_the_data() -> None:
    alter_change(lambda call, record, body: record.update(data={} if body.get("data") == {} else record["data"]))


@merging("records_update", MERGE)
def every_second_update_is_lost() -> None:
    seen: dict[str, Json] = {}

    def lost(call: Any, record: Json, body: Json) -> None:
        if record["id"] in seen:
            record["data"] = seen.pop(record["id"])
        else:
            seen[record["id"]] = deepcopy(record["data"])

    alter_change(lost)


@merging("records_update", MERGE)
def an_update_changes_all_records_of_the_type() -> None:
    def spread(call: Any, record: Json, body: Json) -> None:
        for (project, _), other in call.world.records.items():
            if project == call.project and other["typeSlug"] == record["typeSlug"]:
                other["data"] = original(other["data"], body.get("data", {}))

    alter_change(spread)


def alter_change(change: Callable[[Any, Json, Json], None]) -> None:
    """Do something after each update of a record, given the call, the record and the body."""
    apply_changes = records.apply_changes

    def changed(call: Any, record: Json, body: Json) -> None:
        apply_changes(call, record, body)
        change(call, record, body)

    patch(records, "apply_changes", changed)


@merging(
    "records_update",
    "Body: `data` (object), `externalId` (string), `expectedData` (object), `expectedStatus` (string), `relations` (object).",
)
def an_update_without_an_external_id_clears_it() -> None:
    alter_change(lambda call, record, body: record.update(externalId=body.get("externalId")))


@merging(
    "records_update",
    "Body: `data` (object), `externalId` (string), `expectedData` (object), `expectedStatus` (string), `relations` (object).",
)
def an_external_id_can_only_be_set_once() -> None:
    alter_body("records_update", lambda body: body.pop("externalId", None))


def external(name: str, change: Callable[[str], str]) -> None:
    """Register a mutant that changes the externalId of new records."""
    merging.add(
        name,
        "records_create",
        EXTERNAL,
        lambda: alter_body(
            "records_create",
            lambda body: (
                body.update(externalId=change(body["externalId"]))
                if isinstance(body.get("externalId"), str) and body["externalId"]
                else None
            ),
        ),
    )


external("an external id is in lower case", str.lower)
external("an external id is trimmed", lambda text: text.strip() or text)
external("an external id is cut after 36 characters", lambda text: text[:36])
external("an external id has no leading zeros", lambda text: text.lstrip("0") or text)
external("an external id is ASCII", lambda text: text.encode("ascii", "replace").decode())


@merging("records_create", RECORD)
def a_new_record_is_not_stored() -> None:
    def forgotten(perform: Any, call: Any) -> Any:
        value = perform(call)
        call.world.records.pop((call.project, value["record"]["id"]))
        return value

    wrap("records_create", forgotten)


@merging("records_create", RECORD)
def members_of_the_data_set_fields_of_a_new_record() -> None:
    alter_value(
        "records_create",
        lambda value: value["record"].update(
            {name: text for name, text in value["record"]["data"].items() if name in {"id", "typeSlug", "externalId"}}
        ),
    )


@merging("records_update", RECORD)
def members_of_the_data_set_fields_of_an_updated_record() -> None:
    alter_value(
        "records_update",
        lambda value: value["record"].update(
            {name: text for name, text in value["record"]["data"].items() if name in {"id", "typeSlug", "externalId"}}
        ),
    )


@merging("records_update", RECORD)
def an_update_is_answered_with_the_changes_only() -> None:
    def partial(perform: Any, call: Any) -> Any:
        value = perform(call)
        value["record"]["data"] = {
            key: part for key, part in value["record"]["data"].items() if key in call.body.get("data", {})
        }
        return value

    wrap("records_update", partial)


@merging("records_create", RECORD)
def equal_data_is_the_same_record() -> None:
    def same(perform: Any, call: Any) -> Any:
        for (project, _), record in call.world.records.items():
            if project == call.project and record["data"] == call.body.get("data") and not call.body.get("externalId"):
                return {"record": records.shown(record)}
        return perform(call)

    wrap("records_create", same)


@merging("records_create", PERSON)
def a_person_is_attached_by_the_second_record_only() -> None:
    link, seen = records.link, set()

    def late(call: Any, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        if address in seen:
            link(call, record, identity)
        seen.add(address)

    patch(records, "link", late)


@merging("records_create", PERSON)
def persons_are_attached_by_domain() -> None:
    identity_of = records.identity_of
    patch(records, "identity_of", lambda data: (identity_of(data) or "").partition("@")[2] or None)


@merging("records_create", PERSON)
def persons_are_attached_by_name() -> None:
    identity_of = records.identity_of
    patch(records, "identity_of", lambda data: identity_of(data) and data.get("name", identity_of(data)))


@merging("records_update", REFRESH)
def each_update_of_a_linked_record_creates_a_person() -> None:
    def refreshed(call: Any, record: Json, body: Json) -> None:
        if record.get("personRefId"):
            record["personRefId"] = f"per-{uuid4().hex[:8]}"

    alter_change(refreshed)


@merging("records_update", REFRESH)
def a_change_of_the_name_takes_the_person_away() -> None:
    alter_change(lambda call, record, body: record.update(personRefId=None) if "name" in body.get("data", {}) else None)
