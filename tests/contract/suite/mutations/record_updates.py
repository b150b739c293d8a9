"""Broken updates of object records (Endpoints 4)."""

from __future__ import annotations

import time
from collections.abc import Mapping
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.validation import Validator
from project_platform_stub.http.errors import ApiError, bad_request
from project_platform_stub.operations import records
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support.containment import contains
from project_platform_stub.world.store import Writes
from project_platform_stub.world.views import Contents
from project_platform_stub.world.world import World

from .mutation import alter_status, alter_value, mutation, patch, with_body, without, wrap


@mutation(
    "records.update.null-deletes",
    also=("records.update.expected-data-holds", "records.update.sequence", "records.update.concurrent-merges"),
)
def a_null_is_stored_where_it_should_delete() -> None:
    patch(records, "merged_data", lambda document, changes, profile: {**document, **changes})


@mutation("records.update.null-deletes", also=("records.update.expected-data-holds", "records.update.sequence"))
def a_null_changes_nothing() -> None:
    def merged(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        return {**document, **{key: value for key, value in changes.items() if value is not None}}

    patch(records, "merged_data", merged)


@mutation("records.update.sequence", also=("records.update.null-deletes", "records.update.expected-data-stale"))
def a_key_that_was_deleted_cannot_be_set_again() -> None:
    changed, deleted = records._changed, dict[str, set[str]]()

    def without_deleted(call: Call, record: dict[str, Any]) -> dict[str, Any]:
        gone, updated = deleted.setdefault(record["id"], set()), changed(call, record)
        data = {key: value for key, value in updated["data"].items() if key not in gone}
        gone.update(key for key, value in call.body.get("data", {}).items() if value is None and key in record["data"])
        return {**updated, "data": data}

    patch(records, "_changed", without_deleted)


@mutation("records.update.merge", also=("records.*",))
def data_is_replaced_where_it_should_be_merged() -> None:
    def replaced(document: Mapping[str, Any], changes: Mapping[str, Any], profile: Any) -> dict[str, Any]:
        return {key: value for key, value in changes.items() if value is not None}

    patch(records, "merged_data", replaced)


@mutation("records.update.merge", also=("records.update.*",))
def an_update_is_answered_and_not_stored() -> None:
    def forgotten(rule: Handler, call: Call) -> Answer:
        before = dict(call.project.records[call.path["recordId"]])
        answer = rule(call)
        call.project.records[call.path["recordId"]] = before
        return answer

    wrap("records_update", forgotten)


@mutation("records.update.expected-data-stale", also=("records.update.*",))
def expected_data_is_ignored() -> None:
    wrap("records_update", lambda rule, call: rule(without(call, "expectedData")))


@mutation("records.update.expected-status-stale", also=("records.update.*",))
def expected_status_is_ignored() -> None:
    wrap("records_update", lambda rule, call: rule(without(call, "expectedStatus")))


@mutation("records.update.containment", also=("records.update.*",))
def expected_data_must_equal_the_data() -> None:
    patch(records, "contains", lambda value, part: not part or value == part)


@mutation("records.update.containment", also=("records.update.*",))
def containment_is_shallow_where_it_should_be_deep() -> None:
    def shallow(value: Any, part: Any) -> bool:
        return all(key in value and value[key] == part[key] for key in part)

    patch(records, "contains", shallow)


@mutation("records.update.expected-data-stale", also=("records.update.*",))
def containment_compares_only_keys() -> None:
    patch(records, "contains", lambda value, part: all(key in value for key in part))


@mutation("records.update.expected-data-stale", also=("records.update.*",))
def a_precondition_is_checked_against_the_new_data() -> None:
    def late(rule: Handler, call: Call) -> Answer:
        patch(records, "contains", lambda value, part: contains({**value, **call.body.get("data", {})}, part))
        return rule(call)

    wrap("records_update", late)


@mutation("records.update.expected-data-stale", "records.update.expected-status-stale", also=("records.update.*",))
def a_stale_precondition_is_answered_with_success() -> None:
    def unchanged(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status != 409:
                raise
            return Answer({"record": call.project.records[call.path["recordId"]]})

    wrap("records_update", unchanged)


@mutation("records.update.expected-data-stale", "records.update.expected-status-stale", also=("records.update.*",))
def a_stale_precondition_is_answered_with_412() -> None:
    alter_status("records_update", 409, 412)


@mutation("records.update.stale-unchanged", also=("records.update.*",))
def a_refused_update_is_applied() -> None:
    keep_what_failed()

    def applied(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status == 409:
                rule(without(call, "expectedData", "expectedStatus"))
            raise

    wrap("records_update", applied)


@mutation("records.update.answers-record", also=("records.update.*",))
def an_update_is_answered_with_the_record_before_it() -> None:
    def before(rule: Handler, call: Call) -> Answer:
        record = call.project.records.get(call.path["recordId"])
        rule(call)
        return Answer({"record": record or {}})

    wrap("records_update", before)


@mutation("records.update.external-id", also=("records.update.*",))
def an_update_loses_the_external_id() -> None:
    wrap("records_update", lambda rule, call: rule(with_body(call, externalId=None)))


@mutation("records.update.answers-record", also=("records.update.*",))
def an_updated_record_is_another() -> None:
    alter_value("records_update", lambda value: value["record"].update(id="rec_other"))


def keep_what_failed() -> None:
    """Commit the writes of an operation even if it fails."""

    @contextmanager
    def transaction(self: World) -> Any:
        with self._lock:
            writes = Writes(self._state)
            try:
                yield Contents(writes, self.seed)
            finally:
                self._commit(writes)

    patch(World, "transaction", transaction)


@mutation("records.update.person-refresh", also=("records.update.*",))
def an_update_takes_the_person_away() -> None:
    def unlinked(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        record = {**answer.value["record"], "personRefId": None}
        call.project.records[record["id"]] = record
        return Answer({"record": record})

    wrap("records_update", unlinked)


@mutation("records.update.unknown-record", also=("records.update.*",))
def an_update_of_no_record_is_answered_with_success() -> None:
    def anything(rule: Handler, call: Call) -> Answer:
        if call.path["recordId"] in call.project.records:
            return rule(call)
        return Answer({"record": {"id": call.path["recordId"], "data": {}}})

    wrap("records_update", anything)


@mutation("records.update.expected-data-holds", also=("records.update.*",))
def expected_data_is_always_stale() -> None:
    patch(records, "contains", lambda value, part: not part)


@mutation("records.update.expected-status-holds", also=("records.update.*",))
def expected_status_is_always_stale() -> None:
    def stale(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, expectedStatus="another") if "expectedStatus" in call.body else call)

    wrap("records_update", stale)


@mutation("records.update.either-stale", also=("records.update.*",))
def one_precondition_that_holds_is_enough() -> None:
    def either(rule: Handler, call: Call) -> Answer:
        if not call.body.keys() >= {"expectedData", "expectedStatus"}:
            return rule(call)
        try:
            return rule(without(call, "expectedData"))
        except ApiError:
            return rule(without(call, "expectedStatus"))

    wrap("records_update", either)


def interleave_requests() -> None:
    """Let requests that are answered at the same time not see each other's writes."""

    @contextmanager
    def transaction(self: World) -> Any:
        writes = Writes(self._state)
        yield Contents(writes, self.seed)
        time.sleep(0.05)
        self._commit(writes)

    patch(World, "transaction", transaction)


@mutation("records.update.concurrent-merges", "records.update.atomic", also=("records.update.*",))
def others_write_between_the_check_and_the_update() -> None:
    interleave_requests()


@mutation("records.update.refused-unchanged", also=("records.update.*",))
def an_update_with_an_invalid_external_id_is_applied() -> None:
    keep_what_failed()
    check = Validator.body

    def lenient(self: Validator, operation: Operation, value: Any) -> None:
        if operation.id != "records_update" or not isinstance(value, dict) or isinstance(value.get("externalId"), str):
            check(self, operation, value)

    def applied(rule: Handler, call: Call) -> Answer:
        if isinstance(call.body.get("externalId", ""), str):
            return rule(call)
        rule(without(call, "externalId"))
        raise bad_request("body.externalId", "is not a string")

    patch(Validator, "body", lenient)
    wrap("records_update", applied)


@mutation("records.update.other-project")
def a_record_is_updated_through_every_project() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        projects = (known for known in call.world.projects.values() if call.path["recordId"] in known.records)
        return rule(replace(call, project=next(projects, call.project)))

    wrap("records_update", found)


@mutation("records.update.other-fields")
def an_update_sets_any_field() -> None:
    changed = records._changed

    def assigned(call: Call, record: Any) -> Any:
        names = record.keys() - {"id", "data", "externalId"}
        updated = changed(call, record) | {name: call.body[name] for name in names if name in call.body}
        call.project.records[record["id"]] = updated
        return updated

    patch(records, "_changed", assigned)
