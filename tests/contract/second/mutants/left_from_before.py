"""Services whose defects show only after an ordinary history of requests."""

from __future__ import annotations

from collections import Counter, defaultdict
from copy import deepcopy
from dataclasses import replace
from datetime import datetime
from typing import Any

from ..mutant import Json, Kind, Perform, around, bodies, instead, patch
from ..service import calendar, labels, listings, records, workflows
from ..service.app import Call, Refusal
from ..service.workflows import is_real

history = Kind("left from before")

TIMES = {"start", "end", "durationMinutes"}


@history("workflows_create", "Create workflows. Response: `{workflow: Workflow}`.")
@around("workflows_create", {})
def a_second_workflow_with_the_same_name_is_answered_with_the_first(
    answers: dict[tuple[str, str], Json], perform: Perform, call: Call
) -> Any:
    return answers.setdefault((call.project, call.body.get("name", "")), perform(call))


@history("workflows_create", "A real user identity is required. Creation by a service account is rejected")
def service_accounts_may_create_workflows_after_a_person_did() -> None:
    patch(
        workflows,
        "is_real",
        lambda call: is_real(call) or any(project == call.project for project, _ in call.world.workflows),
    )


@history("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def data_of_a_refused_update_are_written_by_the_next_one() -> None:
    stale, apply = records.stale, records.apply_changes
    pending: dict[str, Json] = {}

    def refused(record: Json, body: Json) -> bool:
        if not stale(record, body):
            return False
        pending[record["id"]] = body.get("data", {})
        return True

    def written(call: Call, record: Json, body: Json) -> None:
        apply(call, record, {**body, "data": pending.pop(record["id"], {}) | body.get("data", {})})

    patch(records, "stale", refused)
    patch(records, "apply_changes", written)


@history("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
@instead(records, "apply_changes", {})
def a_deleted_key_comes_back_with_the_next_update(
    deleted: dict[str, Json], apply: Any, call: Call, record: Json, body: Json
) -> None:
    before = record["data"]
    record["data"] = {**deleted.pop(record["id"], {}), **before}
    apply(call, record, body)
    deleted[record["id"]] = {key: before[key] for key in before.keys() - record["data"].keys()}


@history("records_update", "`data` is a partial merge")
@instead(records, "apply_changes", {})
def a_value_is_not_changed_back_to_the_first_one(
    first: dict[str, Json], apply: Any, call: Call, record: Json, body: Json
) -> None:
    loaded = first.setdefault(record["id"], record["data"])
    changes = {key: value for key, value in body.get("data", {}).items() if key not in loaded or loaded[key] != value}
    apply(call, record, {**body, "data": changes})


@history("calendar_book", "the response is 409 if the slot was taken.")
def the_slot_that_an_event_left_stays_taken() -> None:
    write, taken = calendar.write, calendar.taken
    left: list[tuple[str, Json]] = []

    def moved(call: Call, event: Json) -> None:
        left.extend(
            (call.project, old) for old in calendar.events_of(call, event["calendar"]) if old["uid"] == event["uid"]
        )
        write(call, event)

    def blocked(call: Call, id: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        old = [event for project, event in left if (project, event["calendar"]) == (call.project, id)]
        stays = any(event["uid"] != but and calendar.overlaps(event, begin, end) for event in old)
        return stays or taken(call, id, begin, end, but=but)

    patch(calendar, "write", moved)
    patch(calendar, "taken", blocked)


@history(
    "calendar_book",
    "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken.",
)
def an_event_that_was_moved_twice_can_be_booked_over() -> None:
    write, overlaps = calendar.write, calendar.overlaps
    written: Counter[str] = Counter()

    def counted(call: Call, event: Json) -> None:
        written[event["uid"]] += call.operation == "calendar_reschedule" and bool(TIMES & call.body.keys())
        write(call, event)

    patch(calendar, "write", counted)
    patch(calendar, "overlaps", lambda event, begin, end: written[event["uid"]] < 2 and overlaps(event, begin, end))


@history("calendar_reschedule", "moves start/end and/or changes title/description.")
@instead(calendar, "find_event", {})
def a_new_title_puts_a_moved_event_back(first: dict[str, Json], find_event: Any, call: Call, id: str | None) -> Json:
    event = find_event(call, id)
    booked = first.setdefault(event["uid"], event)
    return event if TIMES & call.body.keys() else {**event, "begin": booked["begin"], "end": booked["end"]}


@history("calendar_busy", "busy intervals are re-checked before insert and the response is 409 if the slot was taken.")
@around("calendar_book")
def a_slot_is_busy_after_its_booking_was_refused(perform: Perform, call: Call) -> Any:
    try:
        return perform(call)
    except Refusal as refusal:
        if refusal.code == "slot_taken":
            perform(replace(call, body={**call.body, "conflictCheck": False}))
        raise


@history("sidebar_replace", "The entire section list of the project is replaced.")
@around("sidebar_replace", {})
def sections_that_another_caller_saved_are_kept(
    saved: dict[tuple[str, str], list[Json]], perform: Perform, call: Call
) -> Any:
    value = perform(call)
    saved[call.project, call.user] = value["data"]["sections"]
    others = [rows for (project, user), rows in saved.items() if project == call.project and user != call.user]
    value["data"]["sections"] = sum(others, saved[call.project, call.user])
    return value


@history("sidebar_replace", "The entire section list of the project is replaced.")
@around("sidebar_replace", defaultdict(dict))
def a_section_that_comes_back_has_its_former_items(
    archives: defaultdict[str, Json], perform: Perform, call: Call
) -> Any:
    present: Json = {section.get("id", ""): section for section in call.world.sidebars.get(call.project, [])}
    value = perform(call)
    for section in value["data"]["sections"]:
        if section.get("id", "") in archives[call.project].keys() - present.keys():
            section["items"] = archives[call.project][section.get("id", "")]["items"]
    archives[call.project].update(present)
    return value


@history("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
@around("templates_apply", defaultdict(dict))
def values_of_the_application_before_supply_the_missing_ones(
    kept: defaultdict[str, Json], perform: Perform, call: Call
) -> Any:
    values = call.body.get("variableValues", {})
    if isinstance(values, dict):
        kept[call.path["templateId"]].update(values)
        values = dict(kept[call.path["templateId"]])
    return perform(replace(call, body={**call.body, "variableValues": values}))


@history("agents_list", "Lists all agent definitions of the project.")
@around("templates_apply")
def built_in_agents_move_into_the_sub_project_when_a_template_is_applied(perform: Perform, call: Call) -> Any:
    value = perform(call)
    agents, new = call.world.agents, value["data"]["project"]["id"]
    agents[new] = [agent for agent in agents[call.project] if agent["builtIn"]]
    agents[call.project] = [agent for agent in agents[call.project] if not agent["builtIn"]]
    return value


@history("memory_update", "only provided fields are updated; the entry is addressed by slug.")
@bodies("memory_update", {})
def metadata_are_those_of_the_entry_that_was_updated_before(last: Json, body: Json) -> None:
    if isinstance(body.get("metadata", {}), dict):
        last.update({"metadata": body["metadata"]} if "metadata" in body else {})
        body.update(last)


@history("memory_update", "only provided fields are updated")
@around("memory_update", {})
def an_update_restores_the_fields_that_its_caller_last_saw(
    seen: dict[tuple[str, str, str], Json], perform: Perform, call: Call
) -> Any:
    key = (call.project, call.path["slug"], call.user)
    value = perform(replace(call, body={**seen.get(key, {}), **call.body}))
    fields = ("title", "description", "content", "metadata")
    seen[key] = {name: deepcopy(value["entry"][name]) for name in fields}
    return value


@history("engagement_like", "Like a published page post as the page. Response: `{success: boolean}`.")
@around("engagement_like")
def a_page_cannot_like_a_post_after_another_account_was_refused(perform: Perform, call: Call) -> Any:
    try:
        return perform(call)
    except Refusal:
        call.world.likes.add(call.path["postId"])
        raise


@history("engagement_like", "Returns all scheduled posts of the project, with optional filters.")
@instead(listings, "posts_of")
def a_post_is_not_listed_after_it_was_liked(posts_of: Any, call: Call) -> Any:
    return [post for post in posts_of(call) if post["id"] not in call.world.likes]


@history("labels_export", "`itemIds` (array of uuid)")
@instead(labels, "document", [])
def labels_of_an_unfilled_sheet_are_printed_again_with_the_next_export(
    left: list[Json], document: Any, items: list[Json], review: bytes
) -> bytes:
    every = [*left, *items]
    left[:] = items[len(items) // 4 * 4 :]
    return document(every, review)
