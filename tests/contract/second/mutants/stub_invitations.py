"""Broken stub servers: invitations and notifications, which no operation shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler

from ...suite.mutations.mutation import patch, with_body, wrap
from ...suite.mutations.record_updates import keep_what_failed
from ..mutant import Kind

invitations = Kind("invitations", "stub")


events = Kind("what an event is", "stub")


INVITED = "When an attendee email is supplied, a real invitation is sent to that attendee."


NOTIFIED = "Attendees are re-notified unless `notifyAttendees` is false."


mail = calendar._mail


def mailing(name: str, operation: str, sentence: str, send: Callable[[Any, Any, str], bool]) -> None:
    """Register a mutant that sends only some messages."""

    def sent(call: Call, event: Any, kind: str) -> None:
        if send(call, event, kind):
            mail(call, event, kind)

    invitations.add(name, operation, sentence, lambda: patch(calendar, "_mail", sent))


mailing(
    "no invitation is sent without a conflict check",
    "calendar_book",
    INVITED,
    lambda call, event, kind: call.body.get("conflictCheck") is not False,
)


mailing(
    "no invitation is sent to an attendee without a name",
    "calendar_book",
    INVITED,
    lambda call, event, kind: bool((event.attendee or {}).get("name")),
)


mailing(
    "no invitation is sent to an attendee with a telephone",
    "calendar_book",
    INVITED,
    lambda call, event, kind: not (event.attendee or {}).get("phone"),
)


mailing(
    "no invitation is sent with a time zone", "calendar_book", INVITED, lambda call, event, kind: event.zone is None
)


mailing(
    "no invitation is sent with a duration",
    "calendar_book",
    INVITED,
    lambda call, event, kind: kind == "update" or "durationMinutes" not in call.body,
)


mailing(
    "a second invitation to the same address is not sent",
    "calendar_book",
    INVITED,
    lambda call, event, kind: (
        kind == "update"
        or not any(sent.to == event.attendee.get("email") for sent in call.world.outbox if event.attendee)
    ),
)


mailing(
    "attendees are not notified of a new title",
    "calendar_reschedule",
    NOTIFIED,
    lambda call, event, kind: kind != "update" or "start" in call.body,
)


mailing(
    "attendees are not notified of a new description",
    "calendar_reschedule",
    NOTIFIED,
    lambda call, event, kind: kind != "update" or "description" not in call.body,
)


mailing(
    "attendees are not notified of a new duration",
    "calendar_reschedule",
    NOTIFIED,
    lambda call, event, kind: kind != "update" or "durationMinutes" not in call.body,
)


mailing(
    "attendees are not notified of a new end",
    "calendar_reschedule",
    NOTIFIED,
    lambda call, event, kind: kind != "update" or not ("end" in call.body and "start" not in call.body),
)


mailing(
    "attendees are notified once of an event",
    "calendar_reschedule",
    NOTIFIED,
    lambda call, event, kind: (
        kind != "update"
        or not any(sent.booking_uid == event.uid and sent.kind == "update" for sent in call.world.outbox)
    ),
)


mailing(
    "attendees are not notified without a conflict check",
    "calendar_reschedule",
    NOTIFIED,
    lambda call, event, kind: kind != "update" or call.body.get("conflictCheck") is not False,
)


@invitations("calendar_reschedule", NOTIFIED)
def attendees_are_notified_although_the_move_was_refused() -> None:
    keep_what_failed()

    def notified(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            if refusal.status == 409:
                mail(call, call.project.events[call.path["eventId"]], "update")
            raise

    wrap("calendar_reschedule", notified)


@invitations("calendar_reschedule", NOTIFIED)
def attendees_are_notified_of_a_silent_move_of_the_end() -> None:
    wrap(
        "calendar_reschedule",
        lambda rule, call: rule(
            with_body(call, notifyAttendees=True) if "start" not in call.body and "end" in call.body else call
        ),
    )


@invitations("calendar_reschedule", NOTIFIED)
def attendees_are_notified_of_a_silent_new_description() -> None:
    wrap(
        "calendar_reschedule",
        lambda rule, call: rule(with_body(call, notifyAttendees=True) if "description" in call.body else call),
    )


@invitations("calendar_reschedule", NOTIFIED)
def the_new_attendee_of_an_event_is_the_caller() -> None:
    def sent(call: Call, event: Any, kind: str) -> None:
        attendee = {"email": "owner@example.com"} if kind == "update" and event.attendee else event.attendee
        mail(call, replace(event, attendee=attendee), kind)

    patch(calendar, "_mail", sent)


@invitations("calendar_book", INVITED)
def an_invitation_is_sent_for_another_event() -> None:
    def sent(call: Call, event: Any, kind: str) -> None:
        first = next(iter(call.project.events.values()))
        mail(call, replace(event, uid=first.uid), kind)

    patch(calendar, "_mail", sent)


@invitations("calendar_book", INVITED)
def everybody_who_was_invited_before_is_invited_again() -> None:
    def sent(call: Call, event: Any, kind: str) -> None:
        for address in {known.to for known in call.world.outbox}:
            mail(call, replace(event, attendee={"email": address}), kind)
        mail(call, event, kind)

    patch(calendar, "_mail", sent)
