"""Events that are booked, moved or listed by other rules than those of the calendar."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import calendar

slot = Kind("slot")

MOVES = "Rules: moves start/end and/or changes title/description."
BUSY = "Response: `{busy: array of {start, end}}`."
DAY = timedelta(days=1)
GAP = timedelta(minutes=15)


def moved(change: Any) -> None:
    """Change the body of an update, given the event."""

    def altered(perform: Any, call: Any) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        if event is not None:
            change(call.body, event)
        return perform(call)

    wrap("calendar_reschedule", altered)


@slot("calendar_book", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def a_duration_overrides_the_end() -> None:
    def overridden(body: Json) -> None:
        if "durationMinutes" in body:
            body.pop("end")

    alter_body("calendar_book", overridden)


@slot("calendar_book", "The connection must have granted the calendar-events write scope.")
def the_write_scope_is_checked_with_the_conflicts() -> None:
    writable = calendar.writable
    patch(calendar, "writable", lambda call, name: call.body.get("conflictCheck") is False or writable(call, name))


@slot("calendar_reschedule", MOVES)
def an_update_of_texts_resets_the_duration() -> None:
    def reset(body: Json) -> None:
        if not {"start", "end", "durationMinutes"} & body.keys():
            body["durationMinutes"] = 60

    alter_body("calendar_reschedule", reset)


@slot("calendar_reschedule", MOVES)
def a_new_end_moves_the_start() -> None:
    def whole(body: Json, event: Json) -> None:
        if {"start", "end", "durationMinutes"} & body.keys() == {"end"} and calendar.timestamp(body["end"]):
            start = calendar.instant(body["end"], body.get("timeZone")) - (event["end"] - event["begin"])
            body["start"] = start.isoformat()

    moved(whole)


@slot("calendar_reschedule", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def a_new_duration_is_added_to_the_old_end() -> None:
    def extended(body: Json, event: Json) -> None:
        if {"start", "end", "durationMinutes"} & body.keys() == {"durationMinutes"} and calendar.minutes(
            body["durationMinutes"]
        ):
            body["end"] = (event["end"] + timedelta(minutes=body.pop("durationMinutes"))).isoformat()

    moved(extended)


@slot("calendar_reschedule", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def the_duration_of_a_moved_event_is_added_to_the_old_start() -> None:
    def stale(body: Json, event: Json) -> None:
        if {"start", "end", "durationMinutes"} & body.keys() == {"start", "durationMinutes"} and calendar.minutes(
            body["durationMinutes"]
        ):
            body["end"] = (event["begin"] + timedelta(minutes=body.pop("durationMinutes"))).isoformat()

    moved(stale)


@slot("calendar_reschedule", MOVES)
def a_moved_event_is_another_event() -> None:
    def inserted(perform: Any, call: Any) -> Any:
        value = perform(call)
        uid = f"{uuid4().hex}@second"
        event = call.world.events.pop((call.project, call.path["eventId"]))
        call.world.events[call.project, uid] = {**event, "uid": uid}
        return {**value, "bookingUid": uid}

    wrap("calendar_reschedule", inserted)


@slot("calendar_busy", BUSY)
def events_of_a_day_or_longer_are_not_busy() -> None:
    in_range = calendar.in_range
    patch(
        calendar,
        "in_range",
        lambda event, begin, end: event["end"] - event["begin"] < DAY and in_range(event, begin, end),
    )


@slot("calendar_busy", "Book, reschedule and list busy intervals on a connected external calendar.")
def readers_see_the_intervals_of_their_own_events() -> None:
    events_of, write = calendar.events_of, calendar.write

    def owned(call: Any, event: Json) -> None:
        write(call, {"by": call.user, **event})

    def visible(call: Any, name: str) -> list[Json]:
        events = events_of(call, name)
        if call.operation != "calendar_busy" or call.world.members[call.project, call.user] == "owner":
            return events
        return [event for event in events if event.get("by") == call.user]

    patch(calendar, "write", owned)
    patch(calendar, "events_of", visible)


@slot("calendar_busy", BUSY)
def short_gaps_between_events_are_busy() -> None:
    def closed(value: Json) -> None:
        starts = [datetime.fromisoformat(interval["start"]) for interval in value["busy"]]
        for interval in value["busy"]:
            end = datetime.fromisoformat(interval["end"])
            if near := [start for start in starts if timedelta() < start - end <= GAP]:
                interval["end"] = min(near).isoformat(timespec="milliseconds")

    alter_value("calendar_busy", closed)
