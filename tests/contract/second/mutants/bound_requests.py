"""Members of bodies and queries that are bound to a request as frameworks bind them by default."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import calendar, checks, records
from ..service.app import Call, Refusal

binding = Kind("binding")


def precedes(body: Json, first: str, second: str) -> bool:
    """Return whether a body has two members, and one before the other."""
    names = list(body)
    return first in body and second in body and names.index(first) < names.index(second)


@binding("workflows_create", "`isActive` | boolean | retained for backward compatibility")
def the_flag_of_a_workflow_is_read_and_written_without_its_is() -> None:
    def read(body: Json) -> None:
        body.pop("isActive", None)
        if "active" in body:
            body["isActive"] = body["active"]

    def written(value: Json) -> None:
        value["workflow"]["active"] = value["workflow"].pop("isActive")

    alter_body("workflows_create", read)
    alter_value("workflows_create", written)


@binding("workflows_create", "`triggerCondition` (any)")
def a_trigger_condition_must_not_be_null() -> None:
    def refused(perform: Any, call: Call) -> Any:
        if call.body.get("triggerCondition", "") is None:
            raise Refusal(422, "triggerCondition must not be null.", "invalid")
        return perform(call)

    wrap("workflows_create", refused)


@binding("records_update", "Body: `data` (object), `externalId` (string), `expectedData` (object)")
def a_record_is_itself_the_other_one_that_has_its_external_identifier() -> None:
    require_unused = records.require_unused
    patch(records, "require_unused", lambda call, value, slug, owner: require_unused(call, value, slug, None))


@binding("calendar_book", "`attendee` | object {name: string, email: string (email format), phone: string}")
def domains_of_attendees_end_with_at_most_four_letters() -> None:
    patch(calendar, "email", lambda value: checks.email(value) and len(value.rpartition(".")[2]) <= 4)


@binding("calendar_book", "`summary` | string | event title; min length 1")
def a_summary_of_one_blank_is_missing() -> None:
    def refused(perform: Any, call: Call) -> Any:
        summary = call.body.get("summary")
        if isinstance(summary, str) and summary and not summary.strip():
            raise Refusal(422, "summary must not be blank.", "invalid")
        return perform(call)

    wrap("calendar_book", refused)


@binding("calendar_book", "`timeZone` | string | IANA zone for start and end")
def a_zone_counts_for_the_times_that_are_sent_after_it() -> None:
    def read_in_order(body: Json) -> None:
        for name in ("start", "end"):
            if precedes(body, name, "timeZone"):
                body[name] = calendar.wire(calendar.instant(body[name], None))

    alter_body("calendar_book", read_in_order)


@binding("calendar_reschedule", "Rules: moves start/end and/or changes title/description.")
def a_duration_that_is_sent_before_the_start_is_added_to_the_old_start() -> None:
    def assigned_in_order(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        body = call.body
        if event is not None and "end" not in body and precedes(body, "durationMinutes", "start"):
            duration = body["durationMinutes"]
            if checks.minutes(duration):
                call.body = {**body, "end": calendar.wire(event["begin"] + timedelta(minutes=duration))}
        return perform(call)

    wrap("calendar_reschedule", assigned_in_order)


@binding("calendar_reschedule", "Rules: moves start/end and/or changes title/description.")
def the_duration_of_an_update_remains_in_the_request_object_of_the_next() -> None:
    last: Json = {}

    def reused(body: Json) -> None:
        if checks.minutes(body.get("durationMinutes")):
            last["durationMinutes"] = body["durationMinutes"]
        elif "end" not in body:
            body.update(last)

    alter_body("calendar_reschedule", reused)


@binding("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def the_primary_calendar_is_empty_under_its_own_identifier() -> None:
    def empty(perform: Any, call: Call) -> Any:
        value = perform(call)
        primary = call.world.calendars[call.project][0]["id"]
        return {**value, "busy": []} if call.query.get("calendarId") == primary else value

    wrap("calendar_busy", empty)
