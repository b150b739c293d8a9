"""Services that are wrong only if options are combined."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import calendar, records
from ..service.app import Call

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
