"""Conflicts that are not noticed, and bookings in the wrong calendar."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import calendar

conflicts = Kind("conflicts of events")


busy = Kind("busy intervals")


CONFLICT = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken."


WRITTEN = "The event is written to the connected external calendar."


def free(
    name: str, operation: str, overlaps: Callable[[Json, datetime, datetime], bool], sentence: str = CONFLICT
) -> None:
    """Register a mutant for which some events do not take a slot."""
    overlap = calendar.overlaps
    conflicts.add(
        name,
        operation,
        sentence,
        lambda: patch(
            calendar, "overlaps", lambda event, begin, end: overlap(event, begin, end) and overlaps(event, begin, end)
        ),
    )


free("events of others take no slot", "calendar_book", lambda event, begin, end: event["uid"].endswith("@second"))


free(
    "events without an attendee take no slot", "calendar_book", lambda event, begin, end: event["attendee"] is not None
)


free("events with an attendee take no slot", "calendar_book", lambda event, begin, end: event["attendee"] is None)


free(
    "events of a day or more take no slot",
    "calendar_book",
    lambda event, begin, end: event["end"] - event["begin"] < timedelta(days=1),
)


free(
    "events of another day take no slot",
    "calendar_book",
    lambda event, begin, end: event["begin"].date() == begin.date(),
)


free(
    "an overlap of less than a minute takes no slot",
    "calendar_book",
    lambda event, begin, end: min(end, event["end"]) - max(begin, event["begin"]) >= timedelta(minutes=1),
)


free(
    "a slot that contains an event is free",
    "calendar_book",
    lambda event, begin, end: not (begin < event["begin"] and event["end"] < end),
)


free(
    "a slot within an event is free",
    "calendar_book",
    lambda event, begin, end: not (event["begin"] < begin and end < event["end"]),
)


free(
    "a slot with the start and the end of an event is free",
    "calendar_book",
    lambda event, begin, end: (event["begin"], event["end"]) != (begin, end),
)


@conflicts("calendar_book", CONFLICT)
def only_the_last_event_takes_a_slot() -> None:
    events_of = calendar.events_of
    patch(
        calendar,
        "taken",
        lambda call, calendar_id, begin, end, but=None: any(
            calendar.overlaps(event, begin, end) for event in events_of(call, calendar_id)[-1:] if event["uid"] != but
        ),
    )


@conflicts("calendar_book", CONFLICT)
def events_that_were_booked_without_the_check_take_no_slot() -> None:
    unchecked: set[str] = set()
    overlap = calendar.overlaps

    def booked(perform: Any, call: Any) -> Any:
        value = perform(call)
        if call.body.get("conflictCheck") is False:
            unchecked.add(value["bookingUid"])
        return value

    wrap("calendar_book", booked)
    patch(calendar, "overlaps", lambda event, begin, end: event["uid"] not in unchecked and overlap(event, begin, end))


@conflicts("calendar_book", CONFLICT)
def a_moved_event_takes_its_first_slot() -> None:
    first: dict[str, Json] = {}
    overlap = calendar.overlaps
    patch(calendar, "overlaps", lambda event, begin, end: overlap(first.setdefault(event["uid"], event), begin, end))
    write = calendar.write

    def written(call: Any, event: Json) -> None:
        first.setdefault(event["uid"], event)
        write(call, event)

    patch(calendar, "write", written)


@conflicts("calendar_book", CONFLICT)
def the_conflict_check_is_off_with_a_duration() -> None:
    check = calendar.checks_conflicts
    patch(calendar, "checks_conflicts", lambda body: check(body) and "end" in body)


@conflicts("calendar_book", CONFLICT)
def the_conflict_check_is_off_with_a_calendar() -> None:
    check = calendar.checks_conflicts
    patch(calendar, "checks_conflicts", lambda body: check(body) and "calendarId" not in body)


@conflicts("calendar_book", CONFLICT)
def the_conflict_check_is_off_with_an_attendee() -> None:
    check = calendar.checks_conflicts
    patch(calendar, "checks_conflicts", lambda body: check(body) and "attendee" not in body)


@conflicts("calendar_book", WRITTEN)
def a_second_event_with_the_same_start_replaces_the_first() -> None:
    def same(perform: Any, call: Any) -> Any:
        value = perform(call)
        event = call.world.events.pop((call.project, value["bookingUid"]))
        event["uid"] = f"{event['begin']:%Y%m%d%H%M}@second"
        calendar.write(call, event)
        return {**value, "bookingUid": event["uid"]}

    wrap("calendar_book", same)


@conflicts("calendar_book", "| calendarId | string | defaults to the connected primary calendar |")
def an_unknown_calendar_is_the_primary_one() -> None:
    named = calendar.named_calendar
    patch(
        calendar,
        "named_calendar",
        lambda call, calendar_id: named(
            call,
            calendar_id if any(known["id"] == calendar_id for known in call.world.calendars[call.project]) else None,
        ),
    )


@conflicts("calendar_book", "The connection must have granted the calendar-events write scope.")
def the_write_scope_is_that_of_the_primary_calendar() -> None:
    patch(calendar, "writable", lambda call, calendar_id: call.world.calendars[call.project][0]["writable"])
