"""Updates of records whose merge or whose preconditions are those of another library or another caller."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import records
from ..service.app import Call
from ..service.workflows import is_real

merge = Kind("merge of a library")
precondition = Kind("precondition of a library")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
CONTAINED = "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition."
STALE = "When either is stale, the response is 409 and the record is unchanged."


@precondition("records_update", CONTAINED)
def an_expected_status_may_contain_the_status() -> None:
    patch(
        records,
        "stale_status",
        lambda record, body: "expectedStatus" in body and record["status"] not in body["expectedStatus"],
    )


@precondition("records_update", CONTAINED)
def an_expected_array_may_have_more_elements_than_the_stored_one() -> None:
    contains = records.contains

    def contained(have: Any, want: Any) -> bool:
        if isinstance(have, list) and isinstance(want, list):
            return all(any(records.contains(element, part) for part in want) for element in have)
        return contains(have, want)

    patch(records, "contains", contained)


@precondition("records_update", STALE)
def preconditions_of_service_accounts_do_not_count() -> None:
    def trusted(perform: Any, call: Call) -> Any:
        if is_real(call):
            return perform(call)
        body = {name: value for name, value in call.body.items() if not name.startswith("expected")}
        return perform(replace(call, body=body))

    wrap("records_update", trusted)


def changing(change: Callable[[Json, Json], Json]) -> None:
    """Change the body of updates, given the data of the record and the data of the body."""
    apply_changes = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        apply_changes(call, record, {**body, "data": change(record["data"], body.get("data", {}))})

    patch(records, "apply_changes", changed)


def unset(data: Json, path: list[str]) -> None:
    """Delete a member by its path."""
    *parents, last = path
    for name in parents:
        if not isinstance(data.get(name), dict):
            return
        data = data[name]
    data.pop(last, None)


@merge("records_update", MERGE)
def a_dot_in_a_key_to_delete_is_a_path() -> None:
    apply_changes = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        changes = body.get("data", {})
        paths = [key for key, value in changes.items() if value is None and "." in key]
        rest = {key: value for key, value in changes.items() if key not in paths}
        apply_changes(call, record, {**body, "data": rest})
        for path in paths:
            unset(record["data"], path.split("."))

    patch(records, "apply_changes", changed)


@merge("records_update", MERGE)
def a_key_in_another_case_is_the_key_that_is_there() -> None:
    def renamed(old: Json, changes: Json) -> Json:
        known = {key.casefold(): key for key in old}
        return {
            key if key in old or value is None else known.get(key.casefold(), key): value
            for key, value in changes.items()
        }

    changing(renamed)


@merge("records_update", MERGE)
def an_array_is_merged_into_the_object_that_it_replaces() -> None:
    merged = records.merged

    def with_indices(old: Json, changes: Json) -> Json:
        result = merged(old, changes)
        for key, value in changes.items():
            if isinstance(value, list) and isinstance(old.get(key), dict):
                result[key] = deepcopy(old[key]) | {str(place): part for place, part in enumerate(value)}
        return result

    patch(records, "merged", with_indices)
