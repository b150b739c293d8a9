"""Bookings, moved events and busy intervals at the wrong times, and conflicts that are found wrongly."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import calendar
from ..service.app import Call, Refusal

times = Kind("time of a booking")
conflicts = Kind("taken slot")
moves = Kind("moved event")
ranges = Kind("range of busy intervals")

START = "start | string | ISO timestamp; event start"
END = "end | string | ISO timestamp; defaults to start + durationMinutes"
ZONE = "timeZone | string | IANA zone for start and end"
WRITTEN = "The event is written to the connected external calendar."
CONFLICT = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken."
DEFAULT = "conflictCheck | boolean | default true"
SCOPE = "The connection must have granted the calendar-events write scope."
MOVES = "Moves start/end and/or changes title/description."
INCLUSIVE = "`timeMin`: ISO timestamp, inclusive start of the range."
EXCLUSIVE = "`timeMax`: ISO timestamp, exclusive end of the range."
BUSY = "Response: `{busy: array of {start, end}}`."
LISTED = "Book, reschedule and list busy intervals on a connected external calendar."
PRIMARY = "`calendarId`: string; defaults to the connected primary calendar."
PROJECT = "A project is the scope for most operations"


def has_offset(value: str) -> bool:
    """Return whether a timestamp has an offset."""
    return re.search(r"([Zz]|[+-]\d\d(:?\d\d)?)$", value[11:]) is not None


def reading(change: Callable[[str, str | None, datetime], datetime]) -> None:
    """Read timestamps as other instants, given the text, the zone and the instant."""
    read = calendar.instant
    patch(calendar, "instant", lambda value, name: change(value, name, read(value, name)))


@times("calendar_book", ZONE)
def zones_have_their_first_offset() -> None:
    def local_mean_time(value: str, name: str | None, at: datetime) -> datetime:
        if has_offset(value):
            return at
        zone = ZoneInfo(name or calendar.HOME)
        first = datetime(1800, 1, 1, tzinfo=zone).utcoffset() or timedelta()
        minutes = timedelta(minutes=round(first.total_seconds() / 60))
        return at.astimezone(zone).replace(tzinfo=UTC) - minutes

    reading(local_mean_time)


@times("calendar_book", START)
def minutes_of_negative_offsets_are_added() -> None:
    def added(value: str, name: str | None, at: datetime) -> datetime:
        offset = re.search(r"-\d\d:?([0-5]\d)$", value[16:])
        return at - timedelta(minutes=2 * int(offset[1])) if offset else at

    reading(added)


@times("calendar_book", ZONE)
def the_zone_is_only_that_of_the_start() -> None:
    find = calendar.end_of

    def end_of(body: Json, begin: datetime) -> datetime | None:
        return find({key: value for key, value in body.items() if key != "timeZone"}, begin)

    patch(calendar, "end_of", end_of)


@times("calendar_book", END)
def durations_lose_their_days() -> None:
    find = calendar.end_of

    def end_of(body: Json, begin: datetime) -> datetime | None:
        if "end" in body or "durationMinutes" not in body:
            return find(body, begin)
        return begin + timedelta(seconds=timedelta(minutes=body["durationMinutes"]).seconds)

    patch(calendar, "end_of", end_of)


@times("calendar_book", END)
def the_duration_is_used_although_there_is_an_end() -> None:
    find = calendar.end_of

    def end_of(body: Json, begin: datetime) -> datetime | None:
        return find({key: value for key, value in body.items() if key != "end" or "durationMinutes" not in body}, begin)

    patch(calendar, "end_of", end_of)


@times("calendar_book", START)
def the_seconds_of_a_start_are_lost() -> None:
    def cut(body: Json) -> None:
        body["start"] = re.sub(r"([Tt]\d\d:\d\d):\d\d([.,]\d+)?", r"\1:00", body["start"])

    alter_body("calendar_book", cut)


@times("calendar_book", WRITTEN)
def bookings_with_the_same_start_and_summary_are_one() -> None:
    write = calendar.write

    def written(call: Call, event: Json) -> None:
        if call.operation == "calendar_book":
            event["uid"] = sha256(f"{event['begin']} {event['summary']}".encode("utf-8", "surrogatepass")).hexdigest()
        write(call, event)

    patch(calendar, "write", written)


@times("calendar_book", SCOPE)
def the_write_scope_is_needed_only_with_a_check_of_conflicts() -> None:
    granted = calendar.writable
    patch(calendar, "writable", lambda call, name: call.body.get("conflictCheck") is False or granted(call, name))


@times("calendar_book", SCOPE)
def the_write_scope_of_a_calendar_is_that_of_the_project() -> None:
    granted = calendar.writable
    known: set[str] = set()

    def writable(call: Call, id: str) -> bool:
        if granted(call, id):
            known.add(call.project)
        return call.project in known

    patch(calendar, "writable", writable)


@conflicts("calendar_book", DEFAULT)
def bookings_with_an_attendee_are_always_checked() -> None:
    check = calendar.checks_conflicts
    patch(calendar, "checks_conflicts", lambda body: check(body) or "attendee" in body)


@conflicts("calendar_book", DEFAULT)
def bookings_in_a_named_calendar_are_not_checked() -> None:
    check = calendar.checks_conflicts
    patch(calendar, "checks_conflicts", lambda body: check(body) and "calendarId" not in body)


@conflicts("calendar_book", CONFLICT)
def slots_around_an_event_are_free() -> None:
    def overlaps(event: Json, begin: datetime, end: datetime) -> bool:
        return bool(event["begin"] <= begin < event["end"] or event["begin"] < end <= event["end"])

    patch(calendar, "overlaps", overlaps)


@conflicts("calendar_book", CONFLICT)
def slots_are_compared_with_events_of_the_same_day() -> None:
    overlap = calendar.overlaps

    def overlaps(event: Json, begin: datetime, end: datetime) -> bool:
        return event["begin"].date() == begin.date() and overlap(event, begin, end)

    patch(calendar, "overlaps", overlaps)


@conflicts("calendar_book", CONFLICT)
def slots_need_ten_minutes_before_the_next_event() -> None:
    overlap = calendar.overlaps
    patch(calendar, "overlaps", lambda event, begin, end: overlap(event, begin, end + timedelta(minutes=10)))


def comparing(events: Callable[[Call, str], list[Json]]) -> None:
    """Compare slots with other events, given the call and the calendar."""

    def taken(call: Call, id: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        return any(calendar.overlaps(event, begin, end) for event in events(call, id) if event["uid"] != but)

    patch(calendar, "taken", taken)


@conflicts("calendar_book", CONFLICT)
def slots_are_compared_with_bookings_of_the_service() -> None:
    comparing(
        lambda call, name: [event for event in calendar.events_of(call, name) if event["uid"].endswith("@second")]
    )


@conflicts("calendar_book", PROJECT)
def slots_are_compared_with_events_of_all_projects() -> None:
    comparing(lambda call, name: list(call.world.events.values()))


@conflicts("calendar_book", CONFLICT)
def slots_of_a_duration_are_compared_at_their_start() -> None:
    compare = calendar.taken

    def taken(call: Call, id: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        moment = call.operation == "calendar_book" and "end" not in call.body
        return compare(call, id, begin, begin + timedelta(seconds=1) if moment else end, but)

    patch(calendar, "taken", taken)


@conflicts("calendar_book", CONFLICT)
def a_booking_of_a_taken_slot_is_refused_and_written() -> None:
    def written(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code == "slot_taken":
                call.body["conflictCheck"] = False
                perform(call)
            raise

    wrap("calendar_book", written)


@moves("calendar_reschedule", MOVES)
def events_with_a_new_title_last_half_an_hour() -> None:
    find = calendar.end_of

    def end_of(body: Json, begin: datetime) -> datetime | None:
        found = find(body, begin)
        retitled = "summary" in body and "start" not in body
        return begin + timedelta(minutes=30) if found is None and retitled else found

    patch(calendar, "end_of", end_of)


@moves("calendar_reschedule", MOVES)
def a_new_end_without_a_start_is_ignored() -> None:
    alter_body("calendar_reschedule", lambda body: body.pop("end", None) if "start" not in body else None)


def finding(change: Callable[[Call, Json], Json]) -> None:
    """Find another event than is addressed, given the call and the event."""
    find = calendar.find_event
    patch(calendar, "find_event", lambda call, name: change(call, find(call, name)))


@moves("calendar_reschedule", MOVES)
def a_move_to_another_day_changes_the_time_only() -> None:
    days: list[datetime] = []
    read = calendar.instant

    def noted(call: Call, event: Json) -> Json:
        days[:] = [event["begin"]]
        return event

    def instant(value: str, name: str | None) -> datetime:
        at = read(value, name)
        return at.replace(year=days[0].year, month=days[0].month, day=days[0].day) if days else at

    def ended(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        finally:
            days.clear()

    finding(noted)
    patch(calendar, "instant", instant)
    wrap("calendar_reschedule", ended)


@moves("calendar_reschedule", MOVES)
def a_second_move_starts_from_the_event_as_it_was_booked() -> None:
    booked: dict[str, Json] = {}
    finding(lambda call, event: booked.setdefault(event["uid"], event))


@moves("calendar_reschedule", MOVES)
def the_old_time_of_a_moved_event_remains_busy() -> None:
    def copied(call: Call, event: Json) -> Json:
        if {"start", "end", "durationMinutes"} & call.body.keys():
            call.world.events[call.project, f"{event['uid']}-{len(call.world.events)}"] = event
        return event

    finding(copied)


@moves("calendar_reschedule", MOVES)
def moves_without_a_notice_are_not_written() -> None:
    write = calendar.write

    def written(call: Call, event: Json) -> None:
        if call.body.get("notifyAttendees") is not False:
            write(call, event)

    patch(calendar, "write", written)


@moves("calendar_reschedule", PROJECT)
def events_of_other_projects_can_be_moved() -> None:
    def find_event(call: Call, id: str | None) -> Json:
        for (project, uid), event in call.world.events.items():
            if uid == call.path["eventId"] and id in {None, event["calendar"]}:
                call.path["projectId"] = project
                return event
        raise Refusal(404, "There is no such event.")

    patch(calendar, "find_event", find_event)


def listed(change: Callable[[Json, datetime, datetime], bool]) -> None:
    """List busy intervals of fewer or more events, given an event and the range."""
    patch(calendar, "in_range", change)


@ranges("calendar_busy", INCLUSIVE)
def an_event_that_starts_at_the_start_of_the_range_is_not_listed() -> None:
    listed(lambda event, begin, end: event["begin"] != begin and event["begin"] < end and begin < event["end"])


@ranges("calendar_busy", BUSY)
def events_of_more_than_a_day_are_not_listed() -> None:
    overlap = calendar.in_range
    listed(lambda event, begin, end: overlap(event, begin, end) and event["end"] - event["begin"] < timedelta(days=1))


@ranges("calendar_busy", BUSY)
def events_with_an_attendee_are_listed_when_they_are_accepted() -> None:
    overlap = calendar.in_range
    listed(lambda event, begin, end: overlap(event, begin, end) and not event["attendee"])


@ranges("calendar_busy", EXCLUSIVE)
def ranges_have_at_most_31_days() -> None:
    overlap = calendar.in_range
    listed(lambda event, begin, end: overlap(event, begin, min(end, begin + timedelta(days=31))))


@ranges("calendar_busy", LISTED)
def busy_intervals_of_a_known_range_are_not_read_again() -> None:
    known: dict[tuple[str, ...], Any] = {}

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(call)
        return known.setdefault((call.project, *sorted(call.query.values())), value)

    wrap("calendar_busy", remembered)


@ranges("calendar_busy", BUSY)
def overlapping_intervals_end_with_the_later_start() -> None:
    def merged(value: Json) -> None:
        result: list[Json] = []
        for each in sorted(value["busy"], key=lambda each: datetime.fromisoformat(each["start"])):
            if result and datetime.fromisoformat(each["start"]) < datetime.fromisoformat(result[-1]["end"]):
                result[-1] = {**result[-1], "end": each["end"]}
            else:
                result.append(each)
        value["busy"] = result

    alter_value("calendar_busy", merged)


@ranges("calendar_busy", PRIMARY)
def busy_intervals_of_all_calendars_are_the_default() -> None:
    of_one = calendar.events_of

    def events_of(call: Call, id: str) -> list[Json]:
        if call.operation != "calendar_busy" or "calendarId" in call.query:
            return of_one(call, id)
        return [event for known in call.world.calendars[call.project] for event in of_one(call, known["id"])]

    patch(calendar, "events_of", events_of)


@ranges("calendar_busy", PROJECT)
def busy_intervals_of_other_projects_are_listed_by_calendar() -> None:
    def altered(perform: Any, call: Call) -> Any:
        id = call.query.get("calendarId")
        for project, calendars in call.world.calendars.items():
            if any(known["id"] == id for known in calendars):
                call.path["projectId"] = project
        return perform(call)

    wrap("calendar_busy", altered)
