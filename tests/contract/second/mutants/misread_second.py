"""Services that misread a sentence of the second third of the specification: figures, permissions, and endpoints 1 to 8."""

from __future__ import annotations

import json
from copy import deepcopy
from dataclasses import replace
from datetime import datetime, timedelta, timezone
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, Perform, alter_body, alter_value, patch, wrap
from ..service import calendar, records, workflows
from ..service.app import Call, Refusal
from ..service.workflows import is_real

misread = Kind("misreadings of the first endpoints")


@misread("photo_analytics_list_media", "`saved`, `engagement` (integers).")
def the_engagement_is_a_share_of_the_reach() -> None:
    def divide(value: Json) -> None:
        for item in value["data"]["media"]:
            item["engagement"] = round(item["engagement"] / max(item["reach"], 1), 3)

    alter_value("photo_analytics_list_media", divide)


@misread("photo_analytics_list_media", "Bodies are JSON unless stated otherwise.")
def figures_that_the_network_lacks_are_not_a_number() -> None:
    def fill(value: Json) -> None:
        for item in value["data"]["media"]:
            item.update({name: float("nan") for name in ("impressions", "shares", "saved") if item[name] is None})

    alter_value("photo_analytics_list_media", fill)


@misread("auth_check_permission", "The form is `<resource>:<action>`. Actions: `read`, `write`, `manage`.")
def permissions_are_remembered_by_their_resource() -> None:
    known: dict[tuple[str, str], Any] = {}

    def remembered(perform: Perform, call: Call) -> Any:
        resource = call.query.get("scope", "").partition(":")[0]
        return known.setdefault((call.user, resource), perform(call))

    wrap("auth_check_permission", remembered)


@misread(
    "workflows_create",
    "A real user identity is required. Creation by a service account is rejected, because the executor needs an "
    "unambiguous principal at dispatch time.",
)
def service_accounts_create_workflows_that_are_expressly_inactive() -> None:
    patch(workflows, "is_real", lambda call: is_real(call) or call.body.get("isActive") is False)


@misread("workflows_create", "Body: `description`, `tags`, `triggerCondition`, `isActive`. Response: the workflow.")
def a_workflow_takes_over_what_it_omits_from_the_one_before_it() -> None:
    defaults: Json = {}

    def changed(perform: Perform, call: Call) -> Any:
        answer = perform(replace(call, body={**defaults, **call.body}))
        defaults.update(call.body)
        return answer

    wrap("workflows_create", changed)


@misread(
    "records_create",
    "When the type has `linksToPerson` enabled and the payload carries matching identity, the service attaches an "
    "existing Person or creates one.",
)
def persons_are_searched_among_those_of_the_caller() -> None:
    link = records.link

    def linked(call: Call, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        link(call, record, identity if address is None else {"email": f"{call.user}.{address}"})

    patch(records, "link", linked)


@misread("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def null_is_stored_for_keys_that_the_record_lacks() -> None:
    merge = records.merged

    def merged(old: Json, changes: Json) -> Json:
        unknown = [name for name, value in changes.items() if value is None and name not in old]
        return {**merge(old, changes), **dict.fromkeys(unknown)}

    patch(records, "merged", merged)


@misread("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def of_two_preconditions_both_must_be_stale() -> None:
    def stale(record: Json, body: Json) -> bool:
        found = [records.stale_data(record, body), records.stale_status(record, body)]
        return all(found) if {"expectedData", "expectedStatus"} <= body.keys() else any(found)

    patch(records, "stale", stale)


@misread("records_update", "When either is stale, the response is 409 and the record is unchanged.")
def the_external_identifier_of_a_stale_update_is_kept() -> None:
    stale = records.stale

    def assigned(record: Json, body: Json) -> bool:
        refused = stale(record, body)
        if refused and "externalId" in body:
            record["externalId"] = body["externalId"]
        return refused

    patch(records, "stale", assigned)


@misread("records_update", "`personRefId`: set when a person-linked type matches identity in data.")
def an_update_of_other_data_forgets_the_person() -> None:
    change = records.apply_changes

    def changed(call: Call, record: Json, body: Json) -> None:
        if "email" not in body.get("data", {"email": None}):
            record.pop("personRefId", None)
        change(call, record, body)

    patch(records, "apply_changes", changed)


@misread("calendar_book", "`end`: ISO timestamp; defaults to start + durationMinutes.")
def a_duration_is_preferred_to_the_end() -> None:
    alter_body("calendar_book", lambda body: body.pop("end") if "durationMinutes" in body else None)


@misread("calendar_book", "`timeZone`: IANA zone for start and end.")
def the_end_has_the_offset_of_the_start() -> None:
    def change(body: Json) -> None:
        start, end = (datetime.fromisoformat(body[name]) for name in ("start", "end"))
        offset = start.replace(tzinfo=ZoneInfo(body["timeZone"])).utcoffset()
        if offset is not None and start.tzinfo is None and end.tzinfo is None:
            body["end"] = end.replace(tzinfo=timezone(offset)).isoformat()

    alter_body("calendar_book", change)


CONFLICT = (
    "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was "
    "taken."
)


@misread("calendar_book", CONFLICT)
def events_that_began_on_an_earlier_day_do_not_conflict() -> None:
    overlaps = calendar.overlaps
    patch(
        calendar,
        "overlaps",
        lambda event, begin, end: event["begin"].date() >= begin.date() and overlaps(event, begin, end),
    )


@misread("calendar_book", CONFLICT)
def events_that_were_booked_without_a_check_take_no_slot() -> None:
    overlaps = calendar.overlaps

    def booked(perform: Perform, call: Call) -> Any:
        answer = perform(call)
        call.world.events[call.project, answer["bookingUid"]]["tentative"] = call.body.get("conflictCheck") is False
        return answer

    wrap("calendar_book", booked)
    patch(calendar, "overlaps", lambda event, begin, end: not event.get("tentative") and overlaps(event, begin, end))


@misread("calendar_book", CONFLICT)
def a_booking_that_is_sent_again_is_answered_as_before() -> None:
    answers: dict[tuple[str, str], Any] = {}

    def remembered(perform: Perform, call: Call) -> Any:
        key = (call.project, json.dumps(call.body, sort_keys=True))
        if key not in answers:
            answers[key] = perform(call)
        return answers[key]

    wrap("calendar_book", remembered)


@misread("calendar_book", "The connection must have granted the calendar-events write scope.")
def bookings_without_a_check_of_conflicts_need_no_write_scope() -> None:
    writable = calendar.writable
    patch(
        calendar, "writable", lambda call, calendar: call.body.get("conflictCheck") is False or writable(call, calendar)
    )


@misread("calendar_reschedule", "Moves start/end and/or changes title/description.")
def a_new_title_makes_an_event_half_an_hour_long() -> None:
    alter_body(
        "calendar_reschedule",
        lambda body: (
            body.update(durationMinutes=30)
            if "summary" in body and not {"start", "end", "durationMinutes"} & body.keys()
            else None
        ),
    )


@misread("calendar_reschedule", "Attendees are re-notified unless `notifyAttendees` is false.")
def an_update_that_notifies_nobody_is_not_written() -> None:
    write = calendar.write

    def written(call: Call, event: Json) -> None:
        if call.body.get("notifyAttendees") is not False:
            write(call, event)

    patch(calendar, "write", written)


@misread("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def busy_intervals_are_those_of_all_calendars_by_default() -> None:
    events_of = calendar.events_of

    def found(call: Call, id: str) -> list[Json]:
        if call.operation != "calendar_busy" or "calendarId" in call.query:
            return events_of(call, id)
        return [event for known in call.world.calendars[call.project] for event in events_of(call, known["id"])]

    patch(calendar, "events_of", found)


@misread("calendar_busy", "`timeMin`: inclusive start of the range. `timeMax`: exclusive end of the range.")
def events_of_a_day_and_longer_are_not_busy() -> None:
    in_range = calendar.in_range
    patch(
        calendar,
        "in_range",
        lambda event, begin, end: event["end"] - event["begin"] < timedelta(days=1) and in_range(event, begin, end),
    )


@misread("sidebar_replace", "The entire section list of the project is replaced.")
def sections_keep_the_order_that_they_had() -> None:
    def changed(perform: Perform, call: Call) -> Any:
        old = [section.get("id") for section in call.world.sidebars.get(call.project, [])]
        answer = perform(call)
        sections = answer["data"]["sections"]
        sections.sort(key=lambda section: [*old, section.get("id")].index(section.get("id")))
        call.world.sidebars[call.project] = deepcopy(sections)
        return answer

    wrap("sidebar_replace", changed)


@misread(
    "sidebar_replace",
    "Hiding an entry never denies authority: a user with read access to the underlying resource can still reach it by "
    "URL.",
)
def posts_are_forbidden_while_the_sidebar_is_empty() -> None:
    def hidden(perform: Perform, call: Call) -> Any:
        if call.world.sidebars.get(call.project) == []:
            raise Refusal(403, "This feature is hidden.")
        return perform(call)

    wrap("posts_list", hidden)
