"""Busy intervals that are left out or wrong."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_query, alter_value, patch, wrap
from ..service import calendar

times = Kind("times of events")


busy = Kind("busy intervals")


WRITTEN = "The event is written to the connected external calendar."


BUSY = "Response: `{busy: array of {start, end}}`."


RANGE = "`timeMin`: ISO timestamp, inclusive start of the range."


def listed(name: str, keep: Callable[[Json, datetime, datetime], bool], sentence: str = RANGE) -> None:
    """Register a mutant that does not list some events of the range."""
    in_range = calendar.in_range
    busy.add(
        name,
        "calendar_busy",
        sentence,
        lambda: patch(
            calendar, "in_range", lambda event, begin, end: in_range(event, begin, end) and keep(event, begin, end)
        ),
    )


listed("events that began before the range are not listed", lambda event, begin, end: event["begin"] >= begin)


listed("events that end after the range are not listed", lambda event, begin, end: event["end"] <= end)


listed(
    "events that contain the range are not listed",
    lambda event, begin, end: begin <= event["begin"] or event["end"] <= end,
)


listed(
    "events of a day or more are not listed",
    lambda event, begin, end: event["end"] - event["begin"] < timedelta(days=1),
)


def intervals(name: str, change: Callable[[list[Json]], list[Json]], sentence: str = BUSY) -> None:
    """Register a mutant that changes the intervals of a response."""
    busy.add(
        name,
        "calendar_busy",
        sentence,
        lambda: alter_value("calendar_busy", lambda value: value.update(busy=change(value["busy"]))),
    )


def joined(items: list[Json], gap: timedelta) -> list[Json]:
    """Return the intervals, joined across gaps."""
    result: list[Json] = []
    for item in sorted(items, key=lambda item: datetime.fromisoformat(item["start"])):
        if result and datetime.fromisoformat(item["start"]) - datetime.fromisoformat(result[-1]["end"]) < gap:
            result[-1]["end"] = max(result[-1]["end"], item["end"], key=datetime.fromisoformat)
        else:
            result.append(item)
    return result


def stretched(item: Json, before: int, after: int) -> Json:
    """Return an interval that begins and ends some minutes earlier or later."""
    start, end = (
        datetime.fromisoformat(item[name]) + timedelta(minutes=shift)
        for name, shift in (("start", before), ("end", after))
    )
    return {**item, "start": start.isoformat(), "end": end.isoformat()}


intervals("intervals with a short gap are joined", lambda items: joined(items, timedelta(minutes=35)))


intervals("only the first interval is listed", lambda items: items[-1:])


intervals("the last interval is not listed", lambda items: items[1:])


intervals(
    "of overlapping intervals only the first is listed",
    lambda items: [
        item
        for place, item in enumerate(items)
        if not any(other["start"] < item["end"] and item["start"] < other["end"] for other in items[place + 1 :])
    ],
)


intervals("intervals have buffers of five minutes", lambda items: [stretched(item, -5, 5) for item in items])


intervals("intervals end a minute early", lambda items: [stretched(item, 0, -1) for item in items])


@busy("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def busy_intervals_are_those_of_all_calendars() -> None:
    patch(
        calendar,
        "events_of",
        lambda call, calendar_id: [
            event for (project, _), event in call.world.events.items() if project == call.project
        ],
    )


@busy("calendar_busy", RANGE)
def the_range_is_whole_days() -> None:
    alter_query(
        "calendar_busy",
        lambda query: (
            query.update(timeMin=query["timeMin"][:10] + "T00:00:00Z", timeMax=query["timeMax"][:10] + "T23:59:59Z")
            if "T" in query.get("timeMin", "") + query.get("timeMax", "")
            and calendar.timestamp(query.get("timeMin"))
            and calendar.timestamp(query.get("timeMax"))
            else None
        ),
    )


@busy("calendar_busy", RANGE)
def the_range_is_at_most_a_week() -> None:
    in_range = calendar.in_range
    patch(calendar, "in_range", lambda event, begin, end: in_range(event, begin, min(end, begin + timedelta(days=7))))


@busy("calendar_busy", WRITTEN)
def busy_intervals_are_those_of_the_first_request() -> None:
    answers: dict[tuple[str, ...], Any] = {}
    wrap(
        "calendar_busy",
        lambda perform, call: answers.setdefault((call.project, *sorted(call.query.values())), perform(call)),
    )


@times("calendar_book", "Response: booking result (`bookingUid`, `start`, `end`, `htmlLink`, `calendarId`).")
def a_booking_is_answered_with_the_end_of_its_start() -> None:
    alter_value("calendar_book", lambda value: value.update(end=value["start"]))


@times("calendar_book", "Response: booking result (`bookingUid`, `start`, `end`, `htmlLink`, `calendarId`).")
def a_booking_is_answered_with_its_local_time_in_utc() -> None:
    alter_value(
        "calendar_book", lambda value: value.update({name: value[name][:19] + "Z" for name in ("start", "end")})
    )


@times("calendar_book", "| metadata | object | |")
def metadata_of_a_booking_sets_its_times() -> None:
    alter_body(
        "calendar_book",
        lambda body: (
            body.update(
                {name: value for name, value in (body.get("metadata") or {}).items() if name in {"start", "end"}}
            )
            if isinstance(body.get("metadata"), dict)
            else None
        ),
    )
