"""Events of the connected calendar whose times are computed or compared in another way than specified."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, patch, wrap
from ..service import calendar
from ..service.app import Call
from ..service.checks import minutes, timestamp, zone
from .bookings import in_bookings

provider = Kind("provider")

CHECK = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken."
MOVE = "Rules: moves start/end and/or changes title/description."
BUSY = "`{busy: array of {start, end}}`"


def readable(body: Json, *names: str) -> bool:
    """Return whether members of a body are timestamps that can be read in its time zone."""
    return all(timestamp(body.get(name)) for name in names) and ("timeZone" not in body or zone(body["timeZone"]))


@provider("calendar_book", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def durations_are_seconds() -> None:
    def shorter(body: Json) -> None:
        if "end" in body or not readable(body, "start") or not minutes(body["durationMinutes"]):
            return
        begin = calendar.instant(body["start"], body.get("timeZone"))
        body["end"] = (begin + timedelta(seconds=body.pop("durationMinutes"))).isoformat()

    alter_body("calendar_book", shorter)


@provider("calendar_book", CHECK)
def slots_are_compared_as_if_their_times_were_universal() -> None:
    def compared(taken: Any, call: Call, name: str, begin: datetime, end: datetime) -> bool:
        local = datetime.fromisoformat(call.body["start"].upper().replace(",", ".")).replace(tzinfo=UTC)
        return bool(taken(call, name, local, local + (end - begin)))

    in_bookings(compared)


@provider("calendar_book", CHECK)
def only_an_event_with_the_same_start_takes_the_slot() -> None:
    in_bookings(
        lambda taken, call, name, begin, end: any(event["begin"] == begin for event in calendar.events_of(call, name))
    )


@provider("calendar_book", "The event is written to the connected external calendar.")
def events_with_a_title_outside_ascii_are_not_written() -> None:
    write = calendar.write

    def written(call: Call, event: Json) -> None:
        if call.operation != "calendar_book" or event["summary"].isascii():
            write(call, event)

    patch(calendar, "write", written)


@provider("calendar_reschedule", MOVE)
def moved_events_last_an_hour() -> None:
    def hour(body: Json) -> None:
        if readable(body, "start", "end"):
            del body["end"]
            body["durationMinutes"] = 60

    alter_body("calendar_reschedule", hour)


@provider("calendar_reschedule", MOVE)
def an_event_that_keeps_its_start_keeps_its_end() -> None:
    def unmoved(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        if event is not None and readable(call.body, "start", "end"):
            begin = calendar.instant(call.body["start"], call.body.get("timeZone"))
            if begin == event["begin"]:
                call.body = {name: value for name, value in call.body.items() if name not in {"start", "end"}}
        return perform(call)

    wrap("calendar_reschedule", unmoved)


@provider("calendar_reschedule", MOVE)
def an_event_that_is_moved_into_its_old_slot_is_lost() -> None:
    def replaced(perform: Any, call: Call) -> Any:
        key = call.project, call.path["eventId"]
        before = call.world.events.get(key)
        value = perform(call)
        if before is not None:
            after = call.world.events[key]
            if after["begin"] != before["begin"] and calendar.overlaps(before, after["begin"], after["end"]):
                del call.world.events[key]
        return value

    wrap("calendar_reschedule", replaced)


@provider("calendar_busy", BUSY)
def free_intervals_are_listed() -> None:
    def free(perform: Any, call: Call) -> Any:
        value = perform(call)
        begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
        gaps = []
        for interval in sorted(value["busy"], key=lambda interval: datetime.fromisoformat(interval["start"])):
            start = datetime.fromisoformat(interval["start"])
            if begin < start:
                gaps.append({"start": calendar.wire(begin), "end": interval["start"]})
            begin = max(begin, datetime.fromisoformat(interval["end"]))
        if begin < end:
            gaps.append({"start": calendar.wire(begin), "end": calendar.wire(end)})
        return {"busy": gaps}

    wrap("calendar_busy", free)


@provider("calendar_busy", "`timeMin`: ISO timestamp, inclusive start of the range.")
def an_event_that_fills_the_range_is_not_listed() -> None:
    in_range = calendar.in_range
    patch(
        calendar,
        "in_range",
        lambda event, begin, end: in_range(event, begin, end) and (event["begin"], event["end"]) != (begin, end),
    )
