"""Updates of events that move them elsewhere or not at all, and busy intervals that are not those of the events."""

from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_query, alter_value, patch, wrap
from ..service import calendar
from ..service.app import Call, Refusal, Reply

move = Kind("move")
interval = Kind("interval")

MOVES = "Moves start/end and/or changes title/description."
RESULT = "Response: booking result."
MIN = "`timeMin`: ISO timestamp, inclusive start of the range."
MAX = "`timeMax`: ISO timestamp, exclusive end of the range."
WRITTEN = "The event is written to the connected external calendar."


def moved(change: Any) -> None:
    """Change what an update writes, given the old event and the new one."""
    write = calendar.write

    def written(call: Call, event: Json) -> None:
        old = call.world.events.get((call.project, event["uid"]))
        if old is not None:
            change(old, event)
        write(call, event)

    patch(calendar, "write", written)


@move("calendar_reschedule", MOVES)
def events_are_moved_to_later_times_only() -> None:
    def later(old: Json, event: Json) -> None:
        if event["begin"] < old["begin"]:
            event.update(begin=old["begin"], end=old["end"])

    moved(later)


@move("calendar_reschedule", MOVES)
def events_are_never_made_shorter() -> None:
    def longer(old: Json, event: Json) -> None:
        if event["begin"] == old["begin"]:
            event["end"] = max(event["end"], old["end"])

    moved(longer)


@move("calendar_reschedule", MOVES)
def a_new_start_with_a_new_duration_keeps_the_old_length() -> None:
    end_of = calendar.end_of

    def kept(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        if event is not None and "start" in call.body and "durationMinutes" in call.body and "end" not in call.body:
            length = event["end"] - event["begin"]
            patch(calendar, "end_of", lambda body, begin: begin + length)
        try:
            return perform(call)
        finally:
            patch(calendar, "end_of", end_of)

    wrap("calendar_reschedule", kept)


@move("calendar_reschedule", MOVES)
def an_update_that_was_sent_before_is_not_applied_again() -> None:
    answers: dict[str, Any] = {}

    def repeated(perform: Any, call: Call) -> Any:
        key = f"{call.path['eventId']} {json.dumps(call.body, sort_keys=True)}"
        if key not in answers:
            answers[key] = perform(call)
        return answers[key]

    wrap("calendar_reschedule", repeated)


@move("calendar_reschedule", RESULT)
def start_and_end_of_a_moved_event_are_swapped() -> None:
    def swapped(value: Json) -> None:
        value["start"], value["end"] = value["end"], value["start"]

    alter_value("calendar_reschedule", swapped)


@move("calendar_reschedule", RESULT)
def an_update_is_answered_without_the_booking() -> None:
    def cut(value: Json) -> None:
        del value["bookingUid"]

    alter_value("calendar_reschedule", cut)


@move("calendar_reschedule", RESULT)
def an_update_of_the_title_alone_has_no_content() -> None:
    def silent(perform: Any, call: Call) -> Any:
        value = perform(call)
        return Reply(204, b"", {}) if set(call.body) <= {"summary", "description"} else value

    wrap("calendar_reschedule", silent)


@move("calendar_reschedule", "`end` (strings)")
def an_update_with_an_end_and_no_start_ends_a_day_later() -> None:
    def shifted(old: Json, event: Json) -> None:
        if event["begin"] == old["begin"] and event["end"] < old["end"]:
            event["end"] += timedelta(days=1)

    moved(shifted)


@move("calendar_reschedule", "Error body (JSON): `message` (string, always present)")
def an_event_that_is_not_found_is_answered_as_a_page() -> None:
    def page(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.status != 404:
                raise
            return Reply(404, b"<h1>Not Found</h1>", {"content-type": "text/html"})

    wrap("calendar_reschedule", page)


@interval("calendar_busy", MAX)
def events_that_start_at_the_end_of_the_range_are_listed() -> None:
    patch(calendar, "in_range", lambda event, begin, end: event["begin"] <= end and begin < event["end"])


@interval("calendar_busy", MIN)
def events_that_start_at_the_start_of_the_range_are_not_listed() -> None:
    patch(calendar, "in_range", lambda event, begin, end: begin != event["begin"] < end and begin < event["end"])


@interval("calendar_busy", MIN)
def offsets_of_the_range_are_dropped() -> None:
    def dropped(query: Json) -> None:
        for name in ("timeMin", "timeMax"):
            query[name] = datetime.fromisoformat(query[name].upper()).replace(tzinfo=UTC).isoformat()

    alter_query("calendar_busy", dropped)


@interval("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def intervals_are_those_of_the_primary_calendar() -> None:
    def primary(query: Json) -> None:
        query.pop("calendarId", None)

    alter_query("calendar_busy", primary)


def unlisted(test: Any) -> None:
    """Leave out the events that were booked by a body that passes a test; they take their slots."""
    hidden: set[str] = set()

    def booked(perform: Any, call: Call) -> Any:
        value = perform(call)
        if test(call.body):
            hidden.add(value["bookingUid"])
        return value

    in_range = calendar.in_range
    patch(calendar, "in_range", lambda event, begin, end: event["uid"] not in hidden and in_range(event, begin, end))
    wrap("calendar_book", booked)


@interval("calendar_busy", WRITTEN)
def events_with_an_attendee_are_not_listed() -> None:
    unlisted(lambda body: "attendee" in body)


@interval("calendar_busy", WRITTEN)
def events_that_were_booked_without_the_check_are_not_listed() -> None:
    unlisted(lambda body: body.get("conflictCheck") is False)


@interval("calendar_busy", "Busy interval {`start`, `end`} strings.")
def intervals_are_whole_quarters_of_an_hour() -> None:
    busy_wire = calendar.wire

    def quarters(value: Json) -> None:
        for one in value["busy"]:
            begin, end = (datetime.fromisoformat(one[name]) for name in ("start", "end"))
            one["start"] = busy_wire(begin.replace(minute=begin.minute // 15 * 15, second=0, microsecond=0))
            rest = (-end.timestamp()) % 900
            one["end"] = busy_wire(end + timedelta(seconds=rest))

    alter_value("calendar_busy", quarters)


@interval("calendar_busy", "Response: `{busy: array of {start, end}}`.")
def a_range_without_events_has_no_array() -> None:
    def null(value: Json) -> None:
        value["busy"] = value["busy"] or None

    alter_value("calendar_busy", null)
