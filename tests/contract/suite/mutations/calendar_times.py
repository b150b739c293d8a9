"""Broken times of events (Endpoints 5 and 6): daylight saving time, offsets, seconds, lengths."""

from __future__ import annotations

from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json

from .calendar import without_offset
from .mutation import mutation, patch, with_body, without, wrap

_WINTER, _SUMMER = 1, 7


def _fixed_month(month: int) -> None:
    """Let every local time have the offset of its zone in a month."""
    read = calendar.read_time

    def read_time(text: str, zone: str | None, place: str) -> datetime:
        moment = datetime.fromisoformat(text)
        if moment.tzinfo or zone is None:
            return read(text, zone, place)
        offset = datetime(moment.year, month, 15, tzinfo=ZoneInfo(zone)).utcoffset() or timedelta()
        return read(text, None, place) - offset

    patch(calendar, "read_time", read_time)


@mutation("calendar.book.time-zone", "calendar.reschedule.time-zone", also=("calendar.*",))
def times_have_the_offset_of_january() -> None:
    _fixed_month(_WINTER)


@mutation("calendar.book.time-zone", "calendar.reschedule.time-zone", also=("calendar.*",))
def times_have_the_offset_of_july() -> None:
    _fixed_month(_SUMMER)


@mutation("calendar.book.clock-changes", also=("calendar.*",))
def a_duration_is_added_to_the_clock() -> None:
    def by_the_clock(rule: Handler, call: Call) -> Answer:
        body = call.body
        if "end" in body or "durationMinutes" not in body or "timeZone" not in body:
            return rule(call)
        zone = ZoneInfo(body["timeZone"])
        start = datetime.fromisoformat(body["start"])
        local = start.astimezone(zone) if start.tzinfo else start.replace(tzinfo=zone)
        end = local + timedelta(minutes=int(body["durationMinutes"]))  # arithmetic of the clock
        return rule(with_body(call, end=end.replace(tzinfo=None).isoformat()))

    wrap("calendar_book", by_the_clock)


def _cut(seconds: int) -> None:
    """Let every time be cut to a multiple of some seconds."""
    read = calendar.read_time

    def read_time(text: str, zone: str | None, place: str) -> datetime:
        moment = read(text, zone, place)
        if not place.startswith("body"):
            return moment
        return moment - timedelta(seconds=moment.timestamp() % seconds)

    patch(calendar, "read_time", read_time)


@mutation("calendar.book.end-given", "calendar.reschedule.moves", also=("calendar.*",))
def times_are_cut_to_minutes() -> None:
    _cut(60)


@mutation("calendar.book.end-given", also=("calendar.*",))
def times_are_cut_to_half_minutes() -> None:
    _cut(30)


@mutation("calendar.book.end-default")
def a_duration_is_at_most_a_day() -> None:
    patch(calendar, "_length", lambda minutes: timedelta(minutes=min(int(minutes), 1440)))


@mutation("calendar.book.end-default")
def a_duration_starts_again_after_a_day() -> None:
    patch(calendar, "_length", lambda minutes: timedelta(minutes=int(minutes) % 1440 or 1440))


@mutation("calendar.book.end-default")
def a_duration_is_at_most_eight_hours() -> None:
    patch(calendar, "_length", lambda minutes: timedelta(minutes=min(int(minutes), 480)))


def _changed_end(operation: str) -> None:
    def changed(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, end=without_offset(call.body["end"])) if "end" in call.body else call)

    wrap(operation, changed)


@mutation("calendar.book.start-offset", also=("calendar.book.*",))
def the_offset_of_an_end_is_ignored() -> None:
    _changed_end("calendar_book")


@mutation("calendar.reschedule.moves", also=("calendar.reschedule.*",))
def the_offset_of_a_new_end_is_ignored() -> None:
    _changed_end("calendar_reschedule")


@mutation("calendar.book.start-offset", "calendar.reschedule.moves", also=("calendar.*",))
def a_time_zone_wins_over_an_offset() -> None:
    read = calendar.read_time

    def read_time(text: str, zone: str | None, place: str) -> datetime:
        return read(without_offset(text).removesuffix("Z") if zone else text, zone, place)

    patch(calendar, "read_time", read_time)


@mutation("calendar.reschedule.moves", also=("calendar.reschedule.*",))
def a_new_end_alone_is_ignored() -> None:
    def ignored(rule: Handler, call: Call) -> Answer:
        return rule(call if "start" in call.body else without(call, "end"))

    wrap("calendar_reschedule", ignored)


@mutation("calendar.reschedule.moves", also=("calendar.reschedule.*",))
def a_new_end_alone_moves_the_event() -> None:
    def moved(rule: Handler, call: Call) -> Answer:
        event = call.project.events.get(call.path["eventId"])
        if event is None or "end" not in call.body or "start" in call.body:
            return rule(call)
        end = calendar.read_time(call.body["end"], event.zone, "body.end")
        return rule(with_body(call, start=(end - (event.end - event.start)).isoformat()))

    wrap("calendar_reschedule", moved)


@mutation("calendar.reschedule.duration", also=("calendar.reschedule.*",))
def a_new_duration_alone_is_ignored() -> None:
    def ignored(rule: Handler, call: Call) -> Answer:
        return rule(call if "start" in call.body else without(call, "durationMinutes"))

    wrap("calendar_reschedule", ignored)


@mutation("calendar.reschedule.duration", also=("calendar.reschedule.*",))
def a_new_duration_counts_from_the_old_start() -> None:
    def counted(rule: Handler, call: Call) -> Answer:
        event = call.project.events.get(call.path["eventId"])
        body: Json = call.body
        if event is None or "durationMinutes" not in body or "end" in body:
            return rule(call)
        return rule(with_body(call, end=(event.start + timedelta(minutes=int(body["durationMinutes"]))).isoformat()))

    wrap("calendar_reschedule", counted)


@mutation("calendar.book.start-offset", also=("calendar.*",))
def milliseconds_are_refused() -> None:
    read = calendar.read_time

    def read_time(text: str, zone: str | None, place: str) -> datetime:
        return read("with a fraction" if "." in text else text, zone, place)

    patch(calendar, "read_time", read_time)
