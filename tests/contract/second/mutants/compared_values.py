"""Updates of records that merge values, or observe preconditions, in another way than specified."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import records
from ..service.app import Call, Refusal
from ..service.workflows import is_real

comparison = Kind("comparison")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
STALE = "When either is stale, the response is 409 and the record is unchanged."


@comparison("records_update", MERGE)
def a_value_does_not_replace_an_object() -> None:
    merged = records.merged

    def kept(old: Json, changes: Json) -> Json:
        return merged(
            old,
            {
                key: value
                for key, value in changes.items()
                if value is None or isinstance(value, dict) or not isinstance(old.get(key), dict)
            },
        )

    patch(records, "merged", kept)


@comparison("records_update", MERGE)
def a_service_account_deletes_no_keys() -> None:
    def kept(perform: Any, call: Call) -> Any:
        data = call.body.get("data")
        if not is_real(call) and isinstance(data, dict):
            call.body = {**call.body, "data": {key: value for key, value in data.items() if value is not None}}
        return perform(call)

    wrap("records_update", kept)


@comparison("records_update", STALE)
def a_stale_update_is_tried_again_without_its_expected_data() -> None:
    def again(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code != "stale" or "expectedData" not in call.body:
                raise
        call.body = {name: value for name, value in call.body.items() if name != "expectedData"}
        return perform(call)

    wrap("records_update", again)


@comparison("records_update", STALE)
def a_stale_update_undoes_the_update_before() -> None:
    versions: dict[tuple[str, str], Json] = {}

    def undone(perform: Any, call: Call) -> Any:
        key = call.project, call.path["recordId"]
        before = deepcopy(call.world.records.get(key))
        try:
            value = perform(call)
        except Refusal as refusal:
            if refusal.code == "stale" and key in versions:
                call.world.records[key] = versions.pop(key)
            raise
        if before is not None:
            versions[key] = before
        return value

    wrap("records_update", undone)
