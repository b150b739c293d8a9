"""Broken events (Endpoints 5 and 6): what is stored with them, what is answered, and who is notified."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Event, Json

from .mutation import mutation, patch, with_body, without, wrap
from .record_updates import keep_what_failed


def _changed(operation: str, field: str, change: Callable[[Any], Any]) -> None:
    """Change a field of the body, if it is there."""

    def changed(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, **{field: change(call.body[field])}) if field in call.body else call)

    wrap(operation, changed)


@mutation("calendar.book.title", also=("calendar.book.summary-length",))
def a_summary_is_trimmed() -> None:
    _changed("calendar_book", "summary", str.strip)


@mutation("calendar.book.title")
def a_description_is_normalised() -> None:
    _changed("calendar_book", "description", lambda text: unicodedata.normalize("NFC", text))


@mutation("calendar.book.title")
def a_summary_is_cut() -> None:
    _changed("calendar_book", "summary", lambda text: text[:255])


@mutation("calendar.book.title")
def a_description_is_escaped() -> None:
    _changed("calendar_book", "description", lambda text: text.replace("&", "&amp;").replace("<", "&lt;"))


@mutation("calendar.reschedule.title")
def a_new_summary_is_trimmed() -> None:
    _changed("calendar_reschedule", "summary", str.strip)


@mutation("calendar.reschedule.title")
def a_new_description_is_cut() -> None:
    _changed("calendar_reschedule", "description", lambda text: text[:1000])


@mutation("calendar.reschedule.title", also=("calendar.reschedule.refused-changes-nothing",))
def an_empty_new_description_is_ignored() -> None:
    def ignored(rule: Handler, call: Call) -> Answer:
        return rule(call if call.body.get("description") else without(call, "description"))

    wrap("calendar_reschedule", ignored)


@mutation("calendar.book.summary-length", also=("calendar.book.title",))
def a_blank_summary_is_refused() -> None:
    def refused(rule: Handler, call: Call) -> Answer:
        if not call.body["summary"].strip():
            raise ApiError(400, "The summary is blank.", "invalid")
        return rule(call)

    wrap("calendar_book", refused)


@mutation("calendar.book.metadata")
def the_metadata_of_a_booking_are_lost() -> None:
    wrap("calendar_book", lambda rule, call: rule(without(call, "metadata")))


@mutation("calendar.book.metadata")
def falsy_metadata_are_lost() -> None:
    _changed("calendar_book", "metadata", lambda data: {name: value for name, value in data.items() if value})


@mutation("calendar.book.metadata")
def metadata_are_strings() -> None:
    _changed("calendar_book", "metadata", lambda data: {name: str(value) for name, value in data.items()})


@mutation("calendar.book.attendee")
def the_phone_of_an_attendee_is_lost() -> None:
    _changed(
        "calendar_book",
        "attendee",
        lambda attendee: {name: value for name, value in attendee.items() if name != "phone"},
    )


@mutation("calendar.book.attendee")
def the_name_of_an_attendee_is_trimmed() -> None:
    _changed("calendar_book", "attendee", lambda attendee: {name: value.strip() for name, value in attendee.items()})


@mutation("calendar.book.attendee", also=("calendar.book.*", "calendar.reschedule.*"))
def an_attendee_without_a_name_is_lost() -> None:
    _changed("calendar_book", "attendee", lambda attendee: attendee if attendee.get("name") else {})


def _mailed(when: Callable[[Call, Event, str], bool]) -> None:
    """Send mails only in some cases."""
    mail = calendar._mail

    def mailed(call: Call, event: Event, kind: str) -> None:
        if when(call, event, kind):
            mail(call, event, kind)

    patch(calendar, "_mail", mailed)


@mutation("calendar.book.invitation", also=("calendar.reschedule.*",))
def an_attendee_without_a_name_is_not_invited() -> None:
    _mailed(lambda call, event, kind: bool((event.attendee or {}).get("name")))


@mutation("calendar.book.invitation")
def without_a_conflict_check_nobody_is_invited() -> None:
    _mailed(lambda call, event, kind: kind == "update" or call.body.get("conflictCheck", True))


@mutation("calendar.reschedule.notifies")
def only_a_new_start_notifies() -> None:
    _mailed(lambda call, event, kind: kind != "update" or "start" in call.body)


@mutation("calendar.reschedule.notifies")
def a_new_title_does_not_notify() -> None:
    _mailed(lambda call, event, kind: kind != "update" or not {"summary", "description"} & call.body.keys())


@mutation("calendar.reschedule.silent")
def a_new_end_always_notifies() -> None:
    def always(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, notifyAttendees=True) if "end" in call.body else call)

    wrap("calendar_reschedule", always)


@mutation("calendar.reschedule.keeps-rest", also=("calendar.reschedule.*",))
def an_update_loses_the_attendee_and_the_metadata() -> None:
    def lost(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        uid = call.path["eventId"]
        call.project.events[uid] = replace(call.project.events[uid], attendee=None, metadata=None)
        return answer

    wrap("calendar_reschedule", lost)


@mutation("calendar.reschedule.keeps-rest", also=("calendar.reschedule.*",))
def a_move_clears_the_description() -> None:
    def cleared(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, description=call.body.get("description", "")))

    wrap("calendar_reschedule", cleared)


@mutation("calendar.reschedule.refused-changes-nothing", also=("calendar.*",))
def a_refused_update_changes_the_title() -> None:
    keep_what_failed()

    def changed(rule: Handler, call: Call) -> Answer:
        event = call.project.events.get(call.path["eventId"])
        if event is not None and "summary" in call.body:
            call.project.events[event.uid] = replace(event, summary=call.body["summary"])
        return rule(call)

    wrap("calendar_reschedule", changed)


@mutation("calendar.reschedule.refused-changes-nothing", also=("calendar.*",))
def a_refused_update_notifies() -> None:
    keep_what_failed()

    def notified(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError:
            event = call.project.events.get(call.path["eventId"])
            if event is not None:
                calendar._mail(call, event, "update")
            raise

    wrap("calendar_reschedule", notified)


@mutation("calendar.book.refused-writes-nothing", also=("calendar.*",))
def a_booking_is_written_before_its_times_are_checked() -> None:
    keep_what_failed()

    def written(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError:
            uid = call.world.ids.short("evt")
            call.project.events[uid] = Event(uid, "lost", call.now, call.now, None, call.body["summary"])
            raise

    wrap("calendar_book", written)


@mutation("calendar.book.answers-booking", also=("calendar.*",))
def equal_bookings_have_one_identifier() -> None:
    first: dict[str, Json] = {}

    def same(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        return Answer(first.setdefault(call.body["start"], answer.value))

    wrap("calendar_book", same)


@mutation("calendar.reschedule.answers-booking", also=("calendar.reschedule.*",))
def an_update_is_answered_with_the_old_times() -> None:
    def old(rule: Handler, call: Call) -> Answer:
        event = call.project.events.get(call.path["eventId"])
        answer = rule(call)
        if event is None:
            return answer
        return Answer(calendar._booking(call.project.calendars[event.calendar_id], event))

    wrap("calendar_reschedule", old)


@mutation("calendar.reschedule.answers-booking", also=("calendar.reschedule.*",))
def a_new_title_is_answered_without_times() -> None:
    def without_times(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        if "start" in call.body or "end" in call.body or not isinstance(answer.value, dict):
            return answer
        return Answer({**answer.value, "start": "1970-01-01T00:00:00Z", "end": "1970-01-01T00:00:00Z"})

    wrap("calendar_reschedule", without_times)


@mutation("calendar.reschedule.notifies", also=("calendar.*",))
def every_attendee_of_the_calendar_is_notified() -> None:
    mail = calendar._mail

    def mailed(call: Call, event: Event, kind: str) -> None:
        for other in [*call.project.events.values()] if kind == "update" else [event]:
            if (other.attendee or {}).get("email", "").startswith("guest"):
                mail(call, other, kind)

    patch(calendar, "_mail", mailed)
