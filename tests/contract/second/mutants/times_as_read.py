"""Times of events and ranges that are read in another way than they are written."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_query, wrap
from ..service import calendar
from ..service.app import Call
from ..service.checks import timestamp

time = Kind("reading of a time")

# Names that the IANA database keeps as links to others, and that browsers and phones still send.
LINKS = frozenset({
    *("US/Eastern", "US/Central", "US/Mountain", "US/Pacific", "America/Buenos_Aires", "Asia/Calcutta"),
    *("Asia/Katmandu", "Asia/Rangoon", "Asia/Saigon", "Europe/Kiev"),
})  # fmt: skip


@time("calendar_book", "`start` | string | ISO timestamp; event start")
def hours_of_the_afternoon_are_those_of_the_morning() -> None:
    def morning(body: Json) -> None:
        for name in ("start", "end"):
            hour = int(body[name][11:13])
            body[name] = f"{body[name][:11]}{hour - 12 if hour > 12 else hour:02}{body[name][13:]}"

    alter_body("calendar_book", morning)


@time("calendar_book", "`timeZone` | string | IANA zone for start and end")
def zones_with_a_name_of_former_times_are_utc() -> None:
    def universal(body: Json) -> None:
        if body["timeZone"] in LINKS:
            body["timeZone"] = "UTC"

    alter_body("calendar_book", universal)


@time("calendar_book", "`end` | string | ISO timestamp; defaults to start + durationMinutes")
def the_end_of_a_booking_is_its_last_second() -> None:
    def inclusive(body: Json) -> None:
        body["end"] = (datetime.fromisoformat(body["end"].upper()) - timedelta(seconds=1)).isoformat()

    alter_body("calendar_book", inclusive)


@time("calendar_reschedule", "Rules: moves start/end and/or changes title/description.")
def an_event_is_not_moved_within_its_day() -> None:
    def by_day(perform: Any, call: Call) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        start = call.body.get("start")
        if event is not None and timestamp(start):
            begin = calendar.instant(start, call.body.get("timeZone"))
            if begin.date() == event["begin"].date():
                call.body = {name: call.body[name] for name in call.body if name not in {"start", "end"}}
        return perform(call)

    wrap("calendar_reschedule", by_day)


@time("calendar_busy", "`timeMax`: ISO timestamp, exclusive end of the range.")
def a_range_over_two_months_ends_with_the_first() -> None:
    def first_month(query: Json) -> None:
        begin, end = (calendar.instant(query[name], "UTC") for name in ("timeMin", "timeMax"))
        next_month = datetime(begin.year + begin.month // 12, begin.month % 12 + 1, 1, tzinfo=UTC)
        query["timeMax"] = min(end, next_month).isoformat()

    alter_query("calendar_busy", first_month)


@time("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def a_calendar_that_is_free_is_answered_with_the_primary_one() -> None:
    def default(perform: Any, call: Call) -> Any:
        value = perform(call)
        if value["busy"]:
            return value
        call.query = {name: call.query[name] for name in ("timeMin", "timeMax")}
        return perform(call)

    wrap("calendar_busy", default)
