"""Services that are wrong only if options are combined."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import calendar, records
from ..service.app import Call, Refusal
from ..service.workflows import is_real

preconditions = Kind("preconditions")
merge = Kind("merge and identity of records")
events = Kind("updates of events")
conflicts = Kind("conflicts of events")
fields = Kind("fields of the answer")
sidebar = Kind("sidebar")
EITHER = "When either is stale, the response is 409 and the record is unchanged."
MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
RECHECK = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409."
MOVES = "Moves start/end and/or changes title/description."


@preconditions("records_update", EITHER)
def preconditions_count_only_if_data_change() -> None:
    check = records.stale
    patch(records, "stale", lambda record, body: "data" in body and check(record, body))


@preconditions("records_update", EITHER)
def a_status_that_holds_is_enough() -> None:
    patch(
        records,
        "stale",
        lambda record, body: (
            records.stale_status(record, body) if "expectedStatus" in body else records.stale_data(record, body)
        ),
    )


@preconditions("records_update", EITHER)
def both_preconditions_must_be_stale() -> None:
    patch(
        records,
        "stale",
        lambda record, body: all(
            [
                *([records.stale_status(record, body)] if "expectedStatus" in body else []),
                *([records.stale_data(record, body)] if "expectedData" in body else []),
                bool(body.keys() & {"expectedStatus", "expectedData"}),
            ]
        ),
    )


@merge("records_update", MERGE)
def nulls_beside_an_external_identifier_are_ignored() -> None:
    alter_body(
        "records_update",
        lambda body: (
            body.update(data={key: value for key, value in body["data"].items() if value is not None})
            if "externalId" in body
            else None
        ),
    )


@merge("records_update", MERGE)
def data_beside_relations_are_not_written() -> None:
    alter_body("records_update", lambda body: body.pop("data") if body["relations"] is not None else None)


@merge("records_update", MERGE)
def a_member_of_the_expected_data_is_not_deleted() -> None:
    alter_body(
        "records_update",
        lambda body: body.update(
            data={
                key: value
                for key, value in body["data"].items()
                if value is not None or key not in body["expectedData"]
            }
        ),
    )


@merge("records_update", MERGE)
def only_the_first_null_deletes() -> None:
    def first(body: Json) -> None:
        nulls = [key for key, value in body["data"].items() if value is None]
        for key in nulls[1:]:
            del body["data"][key]

    alter_body("records_update", first)


@merge("records_update", MERGE)
def deleting_the_last_member_deletes_nothing() -> None:
    whole = records.merged
    patch(records, "merged", lambda old, changes: whole(old, changes) or old)


@conflicts("calendar_book", RECHECK)
def a_named_calendar_is_not_checked() -> None:
    alter_body("calendar_book", lambda body: body.update(conflictCheck=False) if body["calendarId"] else None)


@conflicts("calendar_book", RECHECK)
def a_booking_with_an_attendee_is_not_checked() -> None:
    alter_body("calendar_book", lambda body: body.update(conflictCheck=False) if body["attendee"] else None)


@conflicts("calendar_book", RECHECK)
def a_booking_with_metadata_is_not_checked() -> None:
    alter_body("calendar_book", lambda body: body.update(conflictCheck=False) if "metadata" in body else None)


@conflicts("calendar_book", RECHECK)
def events_within_the_slot_do_not_take_it() -> None:
    patch(
        calendar,
        "overlaps",
        lambda event, begin, end: event["begin"] <= begin < event["end"] or event["begin"] < end <= event["end"],
    )


@conflicts("calendar_book", RECHECK)
def only_the_hour_of_a_slot_is_checked() -> None:
    taken = calendar.taken

    def hour(call: Call, name: str, begin: Any, end: Any, but: str | None = None) -> bool:
        return taken(call, name, begin, min(end, begin.replace(minute=59, second=59)), but)

    patch(calendar, "taken", hour)


@conflicts("calendar_reschedule", "`conflictCheck`: boolean.")
def an_event_conflicts_with_itself() -> None:
    taken = calendar.taken
    patch(calendar, "taken", lambda call, name, begin, end, but=None: taken(call, name, begin, end))


@events("calendar_reschedule", MOVES)
def a_new_start_takes_the_old_duration() -> None:
    def kept(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        body = call.body
        if event and "start" in body and "durationMinutes" in body:
            minutes = (event["end"] - event["begin"]).total_seconds() // 60
            call = replace(call, body={**body, "durationMinutes": int(minutes)})
        return perform(call)

    wrap("calendar_reschedule", kept)


@events("calendar_reschedule", "Attendees are re-notified unless `notifyAttendees` is false.")
def an_event_is_not_moved_without_notification() -> None:
    alter_body(
        "calendar_reschedule",
        lambda body: (
            [body.pop(name, None) for name in ("start", "end", "durationMinutes")]
            if body["notifyAttendees"] is False
            else None
        ),
    )


@events("calendar_reschedule", MOVES)
def a_new_description_moves_nothing() -> None:
    alter_body(
        "calendar_reschedule",
        lambda body: [body.pop(name, None) for name in ("start", "end")] if body["description"] else None,
    )


@events("calendar_book", "`end`: defaults to start + durationMinutes.")
def the_duration_is_preferred_to_the_end() -> None:
    alter_body("calendar_book", lambda body: body.pop("end") if body["durationMinutes"] else None)


@sidebar("sidebar_replace", "Each item has `label`, `icon`, `id`, `featureId`, `pluginId`, `href`, `customLabel`.")
def items_of_a_feature_have_no_plugin() -> None:
    alter_body(
        "sidebar_replace",
        lambda body: [
            item.pop("pluginId", None)
            for section in body["sections"]
            for item in section["items"]
            if "featureId" in item
        ],
    )


@sidebar("sidebar_replace", "Each item has `label`, ... `customLabel` (all strings).")
def the_custom_label_is_the_label() -> None:
    alter_body(
        "sidebar_replace",
        lambda body: [
            item.update(label=item["customLabel"] or item["label"])
            for section in body["sections"]
            for item in section["items"]
            if "customLabel" in item
        ],
    )


@sidebar("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_without_items_are_left_out() -> None:
    alter_body(
        "sidebar_replace",
        lambda body: body.update(sections=[section for section in body["sections"] if section.get("items") != []]),
    )


@fields("workflows_create", "Body: `tags` (array of string), `isActive` (boolean).")
def tags_of_active_workflows_are_dropped() -> None:
    alter_body("workflows_create", lambda body: body.update(tags=[]) if body["isActive"] else None)


@fields("workflows_create", "Body: `name`, `triggerTypeSlug`, `triggerEventType`, `actions`, `description`, `tags`.")
def tags_of_the_workflow_before_are_taken() -> None:
    before: Json = {}

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(replace(call, body={**before, **call.body}))
        if call.body.get("tags"):
            before["tags"] = call.body["tags"]
        return value

    wrap("workflows_create", remembered)


def is_linked(call: Call, record: Json) -> bool:
    """Return whether a record is of a person-linked type."""
    return bool(call.world.types[record["typeSlug"]])


def changed_record(name: str, sentence: str, change: Any) -> None:
    """Register a mutant that changes the body of an update, given the call, the record and a copy of the body."""

    def apply() -> None:
        original = records.apply_changes

        def changed(call: Call, record: Json, body: Json) -> None:
            copy = deepcopy(body)
            change(call, record, copy)
            original(call, record, copy)

        patch(records, "apply_changes", changed)

    merge.add(name, "records_update", sentence, apply)


def without_nulls(body: Json) -> None:
    """Remove the keys that an update deletes."""
    body["data"] = {key: value for key, value in body.get("data", {}).items() if value is not None}


changed_record(
    "only the creator of a record deletes its keys",
    MERGE,
    lambda call, record, body: without_nulls(body) if call.user != record["createdBy"] else None,
)
changed_record(
    "an external identifier is fixed on linked records",
    "Body: `data` (object), `externalId` (string), `expectedData` (object), `expectedStatus` (string).",
    lambda call, record, body: body.pop("externalId", None) if is_linked(call, record) else None,
)
changed_record(
    "falsy values are not written under a precondition",
    MERGE,
    lambda call, record, body: (
        body.update(data={key: part for key, part in body.get("data", {}).items() if part or part is None})
        if "expectedData" in body
        else None
    ),
)
changed_record(
    "an external identifier is not changed by another caller under a precondition",
    "Body: `data` (object), `externalId` (string), `expectedData` (object), `expectedStatus` (string).",
    lambda call, record, body: (
        body.pop("externalId", None) if call.user != record["createdBy"] and "expectedStatus" in body else None
    ),
)
changed_record(
    "an update that deletes and names an identifier keeps what it sets",
    MERGE,
    lambda call, record, body: (
        body.update(data={key: part for key, part in body["data"].items() if part is None})
        if "externalId" in body and None in body.get("data", {}).values()
        else None
    ),
)
changed_record(
    "objects that replace other values of linked records lose their lists",
    "| data | object | free-form JSON keyed by field |",
    lambda call, record, body: (
        [
            part.pop(key)
            for part in body.get("data", {}).values()
            if isinstance(part, dict)
            for key in [key for key, member in part.items() if isinstance(member, list)]
        ]
        if is_linked(call, record)
        else None
    ),
)


@preconditions("records_update", EITHER)
def preconditions_of_linked_records_are_compared_with_their_first_data() -> None:
    create = records.link
    first: dict[str, Json] = {}

    def linked(call: Call, record: Json, identity: Json) -> None:
        create(call, record, identity)
        if is_linked(call, record):
            first.setdefault(record["id"], deepcopy(record["data"]))

    patch(records, "link", linked)
    patch(
        records,
        "stale_data",
        lambda record, body: (
            "expectedData" in body
            and not records.contains(first.get(record["id"], record["data"]), body["expectedData"])
        ),
    )


@preconditions("records_update", EITHER)
def what_a_stale_update_sent_is_written_by_the_next_one() -> None:
    stale, apply_changes = records.stale, records.apply_changes
    pending: dict[str, Json] = {}

    def remembered(record: Json, body: Json) -> bool:
        result = stale(record, body)
        if result and "externalId" in body:
            pending[record["id"]] = body.get("data", {})
        return result

    def with_pending(call: Call, record: Json, body: Json) -> None:
        data = {**pending.pop(record["id"], {}), **body.get("data", {})}
        apply_changes(call, record, {**body, "data": data} if data else body)

    patch(records, "stale", remembered)
    patch(records, "apply_changes", with_pending)


@preconditions("records_update", EITHER)
def a_status_that_holds_lets_a_stale_identifier_pass() -> None:
    stale_data = records.stale_data
    patch(
        records,
        "stale_data",
        lambda record, body: (
            stale_data(record, body) and not {"expectedStatus", "externalId", "relations"} <= body.keys()
        ),
    )


@merge("records_create", "The record carries `personRefId`.")
def records_of_services_with_an_external_identifier_have_their_own_person() -> None:
    link = records.link

    def linked(call: Call, record: Json, identity: Json) -> None:
        link(call, record, identity)
        if (
            not is_real(call)
            and record["externalId"]
            and record.get("personRefId")
            and record["createdAt"] == record["updatedAt"]
        ):
            record["personRefId"] += f"-{record['id']}"

    patch(records, "link", linked)


@merge("records_create", "Body: `typeSlug` (string), `data` (object), `externalId` (string), `relations` (object).")
def data_of_linked_records_beside_relations_are_texts() -> None:
    def texts(body: Json) -> None:
        if body["typeSlug"] == "visitor" and "relations" in body:
            body["data"] = {key: str(part) if isinstance(part, int) else part for key, part in body["data"].items()}

    alter_body("records_create", texts)


@merge("records_create", "| id | string | |")
def a_record_that_a_caller_creates_again_is_the_same_one() -> None:
    before: dict[str, tuple[Json, Any]] = {}

    def same(perform: Any, call: Call) -> Any:
        known, value = before.get(call.user, ({}, None))
        if known != call.body or "externalId" in call.body:
            before[call.user] = deepcopy(call.body), (value := perform(call))
        return deepcopy(value)

    wrap("records_create", same)


@merge("records_create", "Response: `{record: Object record}`.")
def a_refused_record_leaves_its_data_to_the_next_one() -> None:
    left: dict[str, Json] = {}

    def next_one(perform: Any, call: Call) -> Any:
        body = call.body
        if "externalId" in body and "data" not in body and left:
            body = {**body, "data": left.popitem()[1]}
        if isinstance(body.get("data"), dict):
            left["data"] = deepcopy(body["data"])
        return perform(replace(call, body=body))

    wrap("records_create", next_one)


@fields("workflows_create", "Body: `description`, `tags` (array of string), `triggerCondition` (any).")
def a_condition_that_is_false_is_dropped_beside_tags() -> None:
    alter_body(
        "workflows_create",
        lambda body: body.pop("triggerCondition") if body.get("tags") and not body["triggerCondition"] else None,
    )


@fields("workflows_create", "Body: `description`, `tags` (array of string), `triggerCondition` (any).")
def a_workflow_of_another_project_has_no_condition_beside_its_description() -> None:
    def dropped(perform: Any, call: Call) -> Any:
        body = dict(call.body)
        if body.get("description") and "other" in call.world.projects[call.project]["name"].lower():
            body.pop("triggerCondition", None)
        return perform(replace(call, body=body))

    wrap("workflows_create", dropped)


@fields("workflows_create", "| tags | array of string | max 12 items, each 1-40 characters |")
def the_tags_of_a_refused_workflow_are_those_of_the_next_one() -> None:
    refused: list[Json] = []

    def remembered(perform: Any, call: Call) -> Any:
        body = {**call.body, "tags": refused.pop()["tags"][:12]} if refused and not call.body.get("tags") else call.body
        try:
            return perform(replace(call, body=body))
        except Refusal:
            if isinstance(call.body.get("tags"), list) and len(call.body["tags"]) > 12:
                refused.append(call.body)
            raise

    wrap("workflows_create", remembered)


@fields("workflows_create", "| isActive | boolean | retained for backward compatibility |")
def a_long_description_activates_a_workflow_with_a_condition() -> None:
    alter_body(
        "workflows_create",
        lambda body: (
            body.update(isActive=True) if len(body["description"]) > 500 and body["triggerCondition"] else None
        ),
    )
