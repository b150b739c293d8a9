"""Broken bookings (Endpoints 5)."""

from __future__ import annotations

import re
from dataclasses import replace
from datetime import datetime, timedelta
from typing import Any

from project_platform_stub.http.errors import ApiError, conflict
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Calendar

from .mutation import alter_status, alter_value, mutation, patch, schema, with_body, without, wrap
from .record_updates import keep_what_failed


@mutation("calendar.book.conflict", also=("calendar.book.*",))
def a_taken_slot_is_booked_again() -> None:
    wrap("calendar_book", lambda rule, call: rule(with_body(call, conflictCheck=False)))


@mutation("calendar.book.conflict-default", also=("calendar.*",))
def the_conflict_check_is_off_by_default() -> None:
    wrap("calendar_book", lambda rule, call: rule(with_body(call, conflictCheck=call.body.get("conflictCheck", False))))


@mutation("calendar.book.conflict-off", also=("calendar.*",))
def the_conflict_check_cannot_be_turned_off() -> None:
    wrap("calendar_book", lambda rule, call: rule(without(call, "conflictCheck")))


@mutation("calendar.book.conflict", also=("calendar.book.*",))
def only_equal_starts_are_a_conflict() -> None:
    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        if any(slot[0] == start for slot in calendar._busy(call, named, ignored)):
            raise conflict("The slot was taken.", "slot_taken")

    patch(calendar, "_require_free", require_free)


@mutation("calendar.book.conflict", also=("calendar.*",))
def a_taken_slot_is_answered_with_400() -> None:
    alter_status("calendar_book", 409, 400)


@mutation("calendar.book.conflict", also=("calendar.*",))
def a_taken_slot_is_answered_with_success() -> None:
    alter_status("calendar_book", 409, 200)


@mutation("calendar.book.no-invitation", also=("calendar.*",))
def an_invitation_is_sent_although_the_slot_was_taken() -> None:
    keep_what_failed()

    def invited(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status == 409:
                events = set(call.project.events)
                rule(with_body(call, conflictCheck=False))
                for uid in set(call.project.events) - events:
                    del call.project.events[uid]
            raise

    wrap("calendar_book", invited)


@mutation("calendar.book.write-scope")
def a_calendar_without_write_scope_is_written_to() -> None:
    patch(calendar, "_require_write_scope", lambda calendar: None)


@mutation("calendar.book.invitation", "calendar.reschedule.notifies")
def no_invitation_is_sent() -> None:
    patch(calendar, "_mail", lambda call, event, kind: None)


@mutation("calendar.book.invitation")
def two_invitations_are_sent() -> None:
    mail = calendar._mail

    def twice(*args: Any) -> None:
        mail(*args)
        mail(*args)

    patch(calendar, "_mail", twice)


@mutation("calendar.book.written", also=("calendar.book.*",))
def a_booking_is_not_written_to_the_calendar() -> None:
    def forgotten(rule: Handler, call: Call) -> Answer:
        events = set(call.project.events)
        answer = rule(call)
        for uid in set(call.project.events) - events:
            del call.project.events[uid]
        return answer

    wrap("calendar_book", forgotten)


@mutation("calendar.book.summary-length")
def an_empty_summary_is_accepted() -> None:
    del schema("CreateBookingBody", "summary")["minLength"]


@mutation("calendar.book.end-default", also=("calendar.*",))
def every_booking_takes_half_an_hour() -> None:
    patch(calendar, "_length", lambda minutes: timedelta(minutes=30))


@mutation("calendar.book.end-default", also=("calendar.*",))
def durations_are_read_as_seconds() -> None:
    patch(calendar, "_length", lambda minutes: timedelta(seconds=int(minutes)))


@mutation("calendar.book.end-given", also=("calendar.book.*",))
def the_end_of_a_booking_is_ignored() -> None:
    wrap("calendar_book", lambda rule, call: rule(without(call, "end")))


@mutation("calendar.book.time-zone", also=("calendar.*",))
def the_time_zone_of_a_booking_is_ignored() -> None:
    wrap("calendar_book", lambda rule, call: rule(without(call, "timeZone")))


@mutation("calendar.book.body-types")
def an_unknown_time_zone_is_read_as_utc() -> None:
    patch(calendar, "read_zone", lambda name, place: name if "/" in name and not name.startswith("No") else "UTC")


@mutation("calendar.book.write-scope", also=("calendar.*",))
def the_calendar_of_a_booking_is_ignored() -> None:
    wrap("calendar_book", lambda rule, call: rule(without(call, "calendarId")))


@mutation("calendar.book.answers-booking", also=("calendar.book.*",))
def a_booking_is_answered_without_an_identifier() -> None:
    alter_value("calendar_book", lambda value: value.pop("bookingUid"))


@mutation("calendar.book.attendee-email")
def an_attendee_may_have_an_invalid_email_address() -> None:
    del schema("Attendee", "email")["format"]


@mutation("calendar.book.conflict-only-taken", also=("calendar.*",))
def an_adjacent_slot_counts_as_taken() -> None:
    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        if any(slot[0] <= end and start <= slot[1] for slot in calendar._busy(call, named, ignored)):
            raise conflict("The slot was taken.", "slot_taken")

    patch(calendar, "_require_free", require_free)


@mutation("fields.booking.types")
def a_booking_is_answered_with_numbers() -> None:
    alter_value("calendar_book", lambda value: value.update(htmlLink=17, calendarId=1))


@mutation("calendar.book.title")
def the_title_of_a_booking_is_lost() -> None:
    wrap("calendar_book", lambda rule, call: rule(with_body(call, summary="Busy")))


@mutation("calendar.book.start-offset", also=("calendar.book.answers-booking",))
def the_offset_of_a_start_is_ignored() -> None:
    def local(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, start=without_offset(call.body["start"])))

    wrap("calendar_book", local)


@mutation("calendar.book.primary-calendar", also=("calendar.book.*",))
def a_booking_without_a_calendar_is_written_to_another() -> None:
    def elsewhere(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        if "calendarId" not in call.body:
            *_, uid = call.project.events
            call.project.events[uid] = replace(call.project.events[uid], calendar_id="another@calendar.example")
        return answer

    wrap("calendar_book", elsewhere)


@mutation("calendar.book.calendar-name")
def the_calendar_of_a_booking_without_one_has_another_name() -> None:
    def alias(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        return answer if "calendarId" in call.body else replace(answer, value={**answer.value, "calendarId": "primary"})

    wrap("calendar_book", alias)


@mutation("calendar.book.offset-of-times")
def the_times_of_a_booking_are_local() -> None:
    alter_value("calendar_book", lambda value: value.update({name: value[name][:19] for name in ("start", "end")}))


@mutation("calendar.book.conflict-writes-nothing", also=("calendar.*",))
def a_refused_booking_is_written() -> None:
    keep_what_failed()

    def written(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status == 409:
                rule(without(with_body(call, conflictCheck=False), "attendee"))
            raise

    wrap("calendar_book", written)


def without_offset(text: str) -> str:
    """Return a timestamp without its offset, unless that is Z."""
    return re.sub(r"[+-][0-9]{2}:[0-9]{2}$", "", text)
