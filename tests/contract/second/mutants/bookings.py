"""Bookings that are checked, written or answered in another way than specified."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo

from ..mutant import Json, Kind, alter_body, alter_refusal, patch, wrap
from ..service import calendar
from ..service.app import Call, Refusal

booking = Kind("booking")

CHECK = "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken."
SCOPE = "The connection must have granted the calendar-events write scope."
END = "`end` | string | ISO timestamp; defaults to start + durationMinutes"
ZONE = "`timeZone` | string | IANA zone for start and end"


def in_bookings(change: Any) -> None:
    """Change how bookings, and no updates, find out whether a slot is taken, given the original function."""
    taken = calendar.taken
    patch(
        calendar,
        "taken",
        lambda call, name, begin, end, but=None: (
            change(taken, call, name, begin, end) if but is None else taken(call, name, begin, end, but)
        ),
    )


@booking("calendar_book", CHECK)
def an_event_that_ends_at_the_start_takes_the_slot() -> None:
    in_bookings(
        lambda taken, call, name, begin, end: (
            taken(call, name, begin, end) or any(event["end"] == begin for event in calendar.events_of(call, name))
        )
    )


@booking("calendar_book", CHECK)
def an_event_that_starts_at_the_end_takes_the_slot() -> None:
    in_bookings(
        lambda taken, call, name, begin, end: (
            taken(call, name, begin, end) or any(event["begin"] == end for event in calendar.events_of(call, name))
        )
    )


@booking("calendar_book", "`conflictCheck` | boolean | default true")
def the_conflict_check_cannot_be_switched_off() -> None:
    patch(calendar, "checks_conflicts", lambda body: body.get("conflictCheck") or True)


@booking("calendar_book", "`conflictCheck` | boolean | default true")
def conflicts_are_checked_on_request_only() -> None:
    patch(calendar, "checks_conflicts", lambda body: body.get("conflictCheck", False))


@booking("calendar_book", CHECK)
def conflicts_are_checked_against_a_list_that_was_read_before() -> None:
    known: dict[tuple[str, str], list[Json]] = {}

    def cached(taken: Any, call: Call, name: str, begin: datetime, end: datetime) -> bool:
        events = known.setdefault((call.project, name), list(calendar.events_of(call, name)))
        return any(calendar.overlaps(event, begin, end) for event in events)

    in_bookings(cached)


@booking("calendar_book", CHECK)
def a_refused_booking_is_written() -> None:
    def written(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.code == "slot_taken":
                perform_unchecked(perform, call)
            raise

    wrap("calendar_book", written)


def perform_unchecked(perform: Any, call: Call) -> Any:
    """Book without a check for conflicts."""
    call.body = {**call.body, "conflictCheck": False}
    return perform(call)


@booking("calendar_book", CHECK)
def a_taken_slot_is_replaced_by_the_next_free_one() -> None:
    def moved(perform: Any, call: Call) -> Any:
        for _ in range(100):
            try:
                return perform(call)
            except Refusal as refusal:
                if refusal.code != "slot_taken":
                    raise
            begin = calendar.instant(call.body["start"], call.body.get("timeZone"))
            length = calendar.end_of(call.body, begin)
            minutes = int((length - begin).total_seconds() // 60) if length else 30
            call.body = {**call.body, "start": (begin + timedelta(minutes=15)).isoformat(), "durationMinutes": minutes}
            call.body.pop("end", None)
        raise Refusal(409, "The slot is taken.", "slot_taken")

    wrap("calendar_book", moved)


@booking("calendar_book", CHECK)
def a_taken_slot_is_a_bad_request() -> None:
    alter_refusal("calendar_book", "slot_taken", 400)


@booking("calendar_book", SCOPE)
def a_booking_without_the_conflict_check_needs_no_write_scope() -> None:
    writable, checks_conflicts = calendar.writable, calendar.checks_conflicts
    patch(
        calendar,
        "writable",
        lambda call, name: (
            writable(call, name) or (call.operation == "calendar_book" and not checks_conflicts(call.body))
        ),
    )


@booking("calendar_book", SCOPE)
def an_event_without_the_write_scope_is_refused_and_written() -> None:
    writable = calendar.writable

    def late(perform: Any, call: Call) -> Any:
        patch(calendar, "writable", lambda *_: True)
        try:
            value = perform(call)
        finally:
            patch(calendar, "writable", writable)
        if not writable(call, value["calendarId"]):
            raise Refusal(403, "The calendar is read-only.", "scope_missing")
        return value

    wrap("calendar_book", late)


@booking("calendar_book", END)
def full_hours_of_a_duration_are_lost() -> None:
    def lost(body: Json) -> None:
        body["durationMinutes"] = body["durationMinutes"] % 60 or 60

    alter_body("calendar_book", lost)


@booking("calendar_book", "`metadata` | object")
def metadata_of_a_booking_must_be_texts() -> None:
    def refused(perform: Any, call: Call) -> Any:
        metadata = call.body.get("metadata")
        if isinstance(metadata, dict) and not all(isinstance(value, str) for value in metadata.values()):
            raise Refusal(422, "metadata is invalid.", "invalid")
        return perform(call)

    wrap("calendar_book", refused)


@booking("calendar_book", "`description` | string")
def an_empty_description_of_a_booking_is_refused() -> None:
    def refused(perform: Any, call: Call) -> Any:
        if call.body.get("description") == "":
            raise Refusal(422, "description is invalid.", "invalid")
        return perform(call)

    wrap("calendar_book", refused)


@booking("calendar_book", ZONE)
def zones_more_than_twelve_hours_ahead_are_behind() -> None:
    instant = calendar.instant

    def wrapped(value: str, name: str | None) -> datetime:
        result = instant(value, name)
        local = datetime.fromisoformat(value.upper().replace(",", "."))
        ahead = result.astimezone(ZoneInfo(name)).utcoffset() if name and not local.tzinfo else None
        return result + timedelta(days=1) if ahead and ahead > timedelta(hours=12) else result

    patch(calendar, "instant", wrapped)


@booking("calendar_book", ZONE)
def the_zone_of_a_booking_is_that_of_the_calendar() -> None:
    def dropped(body: Json) -> None:
        del body["timeZone"]

    alter_body("calendar_book", dropped)


@booking("calendar_book", "`start` | string | ISO timestamp; event start")
def the_answer_to_a_booking_has_whole_minutes() -> None:
    wire = calendar.wire
    patch(calendar, "wire", lambda at: wire(at.replace(second=0, microsecond=0)))


@booking("calendar_book", END)
def a_booking_with_an_end_and_no_offset_ends_in_utc() -> None:
    end_of = calendar.end_of

    def utc(body: Json, begin: datetime) -> datetime | None:
        if "end" not in body:
            return end_of(body, begin)
        end = datetime.fromisoformat(body["end"].upper().replace(",", "."))
        return end.replace(tzinfo=UTC) if end.tzinfo is None else end_of(body, begin)

    patch(calendar, "end_of", utc)
