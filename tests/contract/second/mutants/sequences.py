"""Calendars that are right for one request, and wrong after others: what a service remembers, and what it looks at."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from datetime import datetime
from typing import Any

from ..mutant import Json, Kind, Perform, around, decorating, instead, patch, values, wrap
from ..service import calendar
from ..service.app import Call, Refusal

sequence = Kind("sequences of events")
gap = Kind("slots beside several events")

TAKEN = "Busy intervals are re-checked before insert and the response is 409 if the slot was taken."
MOVES = "Moves start/end and/or changes title/description."
LISTED = "Response: `{busy: array of {start, end}}`."
WRITTEN = "The event is written to the connected external calendar."

Slot = tuple[datetime, datetime]


def written(change: Callable[[Call, Json | None, Json], None]) -> None:
    """Change what is written, given the call, the event before, if it is an update, and the new event."""
    write = calendar.write

    def changed(call: Call, event: Json) -> None:
        change(call, call.world.events.get((call.project, event["uid"])), event)
        write(call, event)

    patch(calendar, "write", changed)


def checked(change: Callable[[Any, Call, str, Slot, str | None], bool]) -> None:
    """Change how a taken slot is found out, given the original function, the calendar, the slot, and the event that moves."""
    taken = calendar.taken
    patch(
        calendar,
        "taken",
        lambda call, name, begin, end, but=None: change(taken, call, name, (begin, end), but),
    )


@gap("calendar_book", TAKEN)
@decorating(checked)
def a_slot_that_touches_two_events_is_taken(taken: Any, call: Call, name: str, slot: Slot, but: str | None) -> bool:
    events = [event for event in calendar.events_of(call, name) if event["uid"] != but]
    ends, starts = ({event[edge] for event in events} for edge in ("end", "begin"))
    return taken(call, name, *slot, but) or (slot[0] in ends and slot[1] in starts)


@gap("calendar_book", TAKEN)
@decorating(checked)
def a_slot_over_two_events_is_free(taken: Any, call: Call, name: str, slot: Slot, but: str | None) -> bool:
    events = [event for event in calendar.events_of(call, name) if event["uid"] != but]
    return sum(calendar.overlaps(event, *slot) for event in events) == 1


@sequence("calendar_reschedule", MOVES)
@around("calendar_reschedule", set())
def an_update_after_a_refused_one_is_ignored(refused: set[str], perform: Perform, call: Call) -> Any:
    uid = call.path["eventId"]
    if uid in refused:
        refused.discard(uid)
        return calendar.shown(call, calendar.find_event(call, None))
    try:
        return perform(call)
    except Refusal:
        if (call.project, uid) in call.world.events:
            refused.add(uid)
        raise


@sequence("calendar_reschedule", MOVES)
@decorating(written)
def a_silent_update_is_applied_with_the_next_one(call: Call, old: Json | None, event: Json) -> None:
    if old is not None and call.body.get("notifyAttendees") is False and "calendarId" in call.body:
        event.update(begin=old["begin"], end=old["end"])


@sequence("calendar_reschedule", MOVES)
def events_of_service_accounts_are_moved_by_nobody_else() -> None:
    owners: dict[str, str] = {}

    def owned(perform: Any, call: Call) -> Any:
        value = perform(call)
        owners[value["bookingUid"]] = call.user
        return value

    def own(perform: Any, call: Call) -> Any:
        if owners.get(call.path["eventId"], call.user) != call.user:
            raise Refusal(404, "There is no such event.")
        return perform(call)

    wrap("calendar_book", owned)
    wrap("calendar_reschedule", own)


@sequence("calendar_book", WRITTEN)
@around("calendar_book", [])
def a_booking_after_a_conflict_has_the_times_of_the_refused_one(kept: list[Json], perform: Perform, call: Call) -> Any:
    body = dict(call.body) if isinstance(call.body, dict) else {}
    times = {name: body[name] for name in ("start", "end", "durationMinutes", "timeZone") if name in body}
    if kept and body.get("conflictCheck") is False:
        call.body = {name: value for name, value in body.items() if name not in times} | kept.pop()
    try:
        return perform(call)
    except Refusal as refusal:
        if refusal.status == 409:
            kept[:] = [times]
        raise


@sequence("calendar_book", "`timeZone` | string | IANA zone for start and end")
@instead(calendar, "instant", [])
def the_zone_of_the_last_booking_replaces_offsets_of_the_next(
    zones: list[str], instant: Any, value: str, name: str | None
) -> datetime:
    if name is None and zones and "+05:30" in value:
        return instant(value[:19], zones.pop())
    if name is not None and name != "UTC":
        zones[:] = [name]
    return instant(value, name)


def listed(change: Callable[[Call, list[Json]], list[Json]]) -> None:
    events_of = calendar.events_of

    def altered(call: Call, name: str) -> list[Json]:
        events = events_of(call, name)
        return change(call, events) if call.operation == "calendar_busy" else events

    patch(calendar, "events_of", altered)


@sequence("calendar_busy", LISTED)
def events_with_the_same_end_are_listed_once() -> None:
    listed(lambda call, events: list({event["end"]: event for event in events}.values()))


@sequence("calendar_busy", LISTED)
@values("calendar_busy")
def an_event_within_another_ends_it(value: Json) -> None:
    found: list[Json] = []
    for interval in sorted(value["busy"], key=lambda each: datetime.fromisoformat(each["start"])):
        start = datetime.fromisoformat(interval["start"])
        if found and start < datetime.fromisoformat(found[-1]["end"]):
            found[-1]["end"] = interval["end"]
        else:
            found.append(interval)
    value["busy"] = found


@sequence("calendar_busy", LISTED)
def moved_events_are_listed_for_the_caller_who_moved_them() -> None:
    movers: dict[str, str] = {}

    def moved(call: Call, old: Json | None, event: Json) -> None:
        if old is not None and old["begin"] != event["begin"]:
            movers[event["uid"]] = call.user

    written(moved)
    listed(lambda call, events: [event for event in events if movers.get(event["uid"], call.user) == call.user])


@sequence("calendar_busy", "`timeMin`: ISO timestamp, inclusive start of the range.")
@around("calendar_busy", {})
def a_query_is_answered_for_the_range_of_the_one_before_if_it_is_within(
    last: dict[str, Any], perform: Perform, call: Call
) -> Any:
    with suppress(KeyError, ValueError):
        key = call.project, call.query.get("calendarId"), len(call.world.events)
        begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
        if last.get("key") == key and last["begin"] <= begin and end <= last["end"]:
            return last["value"]
        value = perform(call)
        last.update(key=key, begin=begin, end=end, value=value)
        return value
    return perform(call)
