"""Updates of records that merge, compare or refuse wrongly."""

from __future__ import annotations

import json
from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, arrays, patch, wrap
from ..service import records
from ..service.app import Call, Refusal

merges = Kind("partial merge")
guards = Kind("stale precondition")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
GUARD = "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition."
STALE = "When either is stale, the response is 409 and the record is unchanged."
PERSON = "personRefId | string | set when a person-linked type matches identity in data"
PARTIAL = "Create and partially update CRM object records."

Changes = Callable[[Json, Json, Json], None]


def applied(after: Changes) -> None:
    """Change records further after an update.

    Args:
        after: Changes a record in place, given the record before the update and the body.
    """
    apply = records.apply_changes

    def apply_changes(call: Call, record: Json, body: Json) -> None:
        before = deepcopy(record)
        apply(call, record, body)
        after(record, before, body)

    patch(records, "apply_changes", apply_changes)


def changed_body(change: Callable[[Json], Json]) -> None:
    """Apply the changes of another body; its preconditions are checked as they are."""
    apply = records.apply_changes
    patch(records, "apply_changes", lambda call, record, body: apply(call, record, change(body)))


@merges("records_update", MERGE)
def data_of_nulls_alone_is_no_change() -> None:
    def without_nulls(body: Json) -> Json:
        sent = body.get("data")
        return {**body, "data": {}} if sent and all(value is None for value in sent.values()) else body

    changed_body(without_nulls)


@merges("records_update", MERGE)
def empty_data_removes_all_keys() -> None:
    def removed(record: Json, before: Json, body: Json) -> None:
        if body.get("data") == {}:
            record["data"] = {}

    applied(removed)


@merges("records_update", MERGE)
def updates_with_expected_data_replace_the_data() -> None:
    def replaced(record: Json, before: Json, body: Json) -> None:
        if "expectedData" in body and "data" in body:
            record["data"] = records.merged({}, body["data"])

    applied(replaced)


@merges("records_update", MERGE)
def updates_of_relations_leave_the_data() -> None:
    changed_body(lambda body: {**body, "data": {}} if body.get("relations") else body)


@merges("records_update", MERGE)
def nulls_in_arrays_are_deleted() -> None:
    drop = arrays(lambda value: [item for item in value if item is not None])
    changed_body(lambda body: {**body, "data": drop(body["data"])} if "data" in body else body)


@merges("records_update", MERGE)
def values_that_are_equal_in_python_are_no_change() -> None:
    def unchanged(record: Json, before: Json, body: Json) -> None:
        for key, old in before["data"].items():
            if key in record["data"] and record["data"][key] == old:
                record["data"][key] = old

    applied(unchanged)


@merges("records_update", MERGE)
def deleted_keys_return_with_the_next_request() -> None:
    lost: dict[str, Json] = {}
    find = records.find_record

    def find_record(call: Call) -> Json:
        record = find(call)
        record["data"] = {**lost.pop(record["id"], {}), **record["data"]}
        return record

    def forgotten(record: Json, before: Json, body: Json) -> None:
        lost[record["id"]] = {key: value for key, value in before["data"].items() if key not in record["data"]}

    patch(records, "find_record", find_record)
    applied(forgotten)


@merges("records_update", MERGE)
def deleted_keys_cannot_be_set_again() -> None:
    deleted: dict[str, set[str]] = {}

    def removed(record: Json, before: Json, body: Json) -> None:
        gone = deleted.setdefault(record["id"], set())
        gone.update(key for key in before["data"] if key not in record["data"])
        record["data"] = {key: value for key, value in record["data"].items() if key not in gone}

    applied(removed)


@merges("records_update", PARTIAL)
def external_identifiers_that_are_not_sent_are_removed() -> None:
    def removed(record: Json, before: Json, body: Json) -> None:
        record["externalId"] = body.get("externalId")

    applied(removed)


@merges("records_update", PERSON)
def updates_without_an_identity_remove_the_person() -> None:
    def removed(record: Json, before: Json, body: Json) -> None:
        if body.get("data") and "email" not in body["data"]:
            record.pop("personRefId", None)

    applied(removed)


def containing(known: Callable[[Any, Any], bool]) -> None:
    """Take more values as contained."""
    contained = records.contains
    patch(records, "contains", lambda have, want: known(have, want) or contained(have, want))


@guards("records_update", GUARD)
def expected_values_are_compared_as_text() -> None:
    def as_text(value: Any) -> str:
        return value if isinstance(value, str) else json.dumps(value)

    containing(
        lambda have, want: (
            not isinstance(have, dict | list) and not isinstance(want, dict | list) and as_text(have) == as_text(want)
        )
    )


@guards("records_update", GUARD)
def expected_text_is_compared_without_case() -> None:
    containing(lambda have, want: isinstance(have, str) and isinstance(want, str) and have.lower() == want.lower())


@guards("records_update", GUARD)
def expected_nulls_are_not_compared() -> None:
    compare = records.stale_data

    def stale_data(record: Json, body: Json) -> bool:
        expected = body.get("expectedData", {})
        return compare(record, {"expectedData": {key: value for key, value in expected.items() if value is not None}})

    patch(records, "stale_data", stale_data)


@guards("records_update", STALE)
def two_preconditions_are_stale_only_together() -> None:
    def stale(record: Json, body: Json) -> bool:
        checks = (("expectedData", records.stale_data), ("expectedStatus", records.stale_status))
        results = [check(record, body) for name, check in checks if name in body]
        return bool(results) and all(results)

    patch(records, "stale", stale)


@guards("records_update", GUARD)
def preconditions_are_compared_with_the_merged_data() -> None:
    compare = records.stale_data

    def stale_data(record: Json, body: Json) -> bool:
        return compare({**record, "data": records.merged(record["data"], body.get("data", {}))}, body)

    patch(records, "stale_data", stale_data)


@guards("records_update", GUARD)
def preconditions_are_compared_with_the_data_of_the_first_comparison() -> None:
    compare = records.stale_data
    known: dict[str, Json] = {}

    def stale_data(record: Json, body: Json) -> bool:
        if "expectedData" not in body:
            return False
        return compare({"data": known.setdefault(record["id"], deepcopy(record["data"]))}, body)

    patch(records, "stale_data", stale_data)


def refused(change: Callable[[Call, Json, Json], None]) -> None:
    """Change the record of an update that is refused as stale, given the record and the body."""

    def altered(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code == "stale":
                change(call, records.find_record(call), call.body)
            raise

    wrap("records_update", altered)


@guards("records_update", STALE)
def a_refused_update_deletes_its_keys() -> None:
    def deleted(call: Call, record: Json, body: Json) -> None:
        for key, value in body.get("data", {}).items():
            if value is None:
                record["data"].pop(key, None)

    refused(deleted)


@guards("records_update", STALE)
def a_refused_update_attaches_its_person() -> None:
    refused(lambda call, record, body: records.link(call, record, body.get("data", {})))


@guards("records_update", "A project is the scope for most operations")
def updates_with_expected_data_reach_records_of_other_projects() -> None:
    find = records.find_record

    def find_record(call: Call) -> Json:
        if "expectedData" in call.body:
            for (_, id), record in call.world.records.items():
                if id == call.path["recordId"]:
                    return record
        return find(call)

    patch(records, "find_record", find_record)
