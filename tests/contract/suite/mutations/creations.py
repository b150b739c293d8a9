"""Broken creations: of records, workflows, events and sub-projects beside each other (Endpoints 2, 3, 5 and 9)."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from project_platform_stub.http.errors import bad_request
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.views import Contents, Project

from .mutation import alter_operation, alter_value, mutation, patch, with_body, wrap
from .record_updates import interleave_requests


@mutation("templates.apply.own-agents", also=("agents.*",))
def a_sub_project_lists_the_agents_of_its_parent() -> None:
    def inherited(rule: Handler, call: Call) -> Answer:
        parent = call.project.parent
        return rule(call if parent is None else replace(call, project=call.world.projects[parent]))

    wrap("agents_list", inherited)


@mutation("templates.apply.remains", also=("templates.*",))
def nobody_is_a_member_of_a_sub_project_with_a_failure() -> None:
    def removed(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        data = answer.value["data"]
        if data["templateApply"]["report"]["failures"]:
            del call.world.projects[data["project"]["id"]].members[call.caller.id]
        return answer

    wrap("templates_apply", removed)


@mutation("templates.apply.permission-enough", also=("templates.apply.permission-alone",))
def a_template_is_applied_by_managers_only() -> None:
    alter_operation("templates_apply", permission="sub_projects:manage")


def two_hours_later(row: dict[str, Any]) -> None:
    """Show the time of a creation in another zone, as if it were in UTC."""
    at = datetime.fromisoformat(row["createdAt"]) + timedelta(hours=2)
    row["createdAt"] = at.isoformat().replace("+00:00", "Z")


@mutation("workflows.create.time", also=("workflows.*",))
def a_workflow_is_created_in_two_hours() -> None:
    alter_value("workflows_create", lambda value: two_hours_later(value["workflow"]))


@mutation("records.create.time", also=("records.*",))
def a_record_is_created_in_two_hours() -> None:
    alter_value("records_create", lambda value: two_hours_later(value["record"]))


@mutation("records.create.own-data", also=("records.*",))
def a_record_without_data_has_those_of_the_last_update() -> None:
    last: dict[str, Any] = {}

    def created(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, data=dict(last)) if "data" not in call.body else call)

    def updated(rule: Handler, call: Call) -> Answer:
        last.update(call.body.get("data", {}))
        return rule(call)

    wrap("records_create", created)
    wrap("records_update", updated)


@mutation("records.create.empty-key", also=("records.*",))
def an_empty_key_is_dropped() -> None:
    def dropped(rule: Handler, call: Call) -> Answer:
        data = {key: value for key, value in call.body.get("data", {}).items() if key}
        return rule(with_body(call, data=data))

    wrap("records_create", dropped)


@mutation("calendar.book.empty-description", also=("calendar.*",))
def an_event_needs_a_description() -> None:
    def refused(rule: Handler, call: Call) -> Answer:
        if call.body.get("description") == "":
            raise bad_request("body.description", "is empty")
        return rule(call)

    wrap("calendar_book", refused)


@mutation("records.create.person-concurrent", also=("records.*",))
def a_person_is_found_a_second_after_its_creation() -> None:
    created: dict[Any, float] = {}

    def late(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        record, now = answer.value["record"], time.monotonic()
        if 0 < now - created.setdefault(record["personRefId"], now) < 1:
            return Answer({"record": {**record, "personRefId": record["id"]}})
        return answer

    wrap("records_create", late)


@mutation("memory.update.concurrent", "calendar.book.conflict-concurrent", also=("memory.*", "calendar.*"))
def others_write_while_a_request_is_answered() -> None:
    interleave_requests()


def answered_as_another(operation: str, applies: Callable[[Call], bool]) -> None:
    """Answer an operation as the call before it, if they are less than a moment apart and the test of the call holds."""
    last: list[tuple[float, Answer]] = []

    def mixed(rule: Handler, call: Call) -> Answer:
        answer, now = rule(call), time.monotonic()
        before = [known for at, known in last if now - at < 1 and applies(call)]
        last[:] = [(now, answer)]
        return (before or [answer])[0]

    wrap(operation, mixed)


@mutation("records.create.concurrent", also=("records.*",))
def a_new_record_is_answered_as_the_one_before() -> None:
    answered_as_another("records_create", lambda call: "number" in call.body.get("data", {}))


@mutation("workflows.create.concurrent", also=("workflows.*",))
def a_new_workflow_is_answered_as_the_one_before() -> None:
    answered_as_another("workflows_create", lambda call: len(call.body.get("tags", ())) == 1)


@mutation("calendar.book.concurrent", also=("calendar.*",))
def a_booking_is_answered_as_the_one_before() -> None:
    answered_as_another("calendar_book", lambda call: True)


@mutation("auth.concurrent-callers", also=("auth.*", "records.*"))
def a_caller_has_the_permissions_of_the_one_before() -> None:
    permissions = Contents.permissions
    last: list[tuple[int, Identity]] = []

    def mixed(self: Contents, caller: Identity, project: Project) -> frozenset[str]:
        thread = threading.get_ident()
        before = [known for number, known in last if number != thread]
        last[:] = [(thread, caller)]
        return permissions(self, (before or [caller])[0], project)

    patch(Contents, "permissions", mixed)
