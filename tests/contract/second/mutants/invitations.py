"""Stub servers whose mails to attendees are not sent, are sent against the request, or have another address."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from project_platform_stub.operations import HANDLERS, calendar

from ..mutant import Kind, patch

mails = Kind("mail to an attendee", target="stub")

INVITED = "When an attendee email is supplied, a real invitation is sent to that attendee."
NOTIFIED = (
    "Moves start/end and/or changes title/description. Attendees are re-notified unless `notifyAttendees` is false."
)


def sent(when: Any) -> None:
    """Send a mail only under a condition, given the call, the event and the kind of the mail."""
    send = calendar._mail

    def mail(call: Any, event: Any, kind: str) -> None:
        if when(call, event, kind):
            send(call, event, kind)

    patch(calendar, "_mail", mail)


@mails("calendar_book", INVITED)
def attendees_without_a_name_are_not_invited() -> None:
    sent(lambda call, event, kind: kind == "update" or (event.attendee or {}).get("name"))


@mails("calendar_book", INVITED)
def attendees_are_invited_once() -> None:
    known: set[str] = set()

    def new(call: Any, event: Any, kind: str) -> bool:
        address = (event.attendee or {}).get("email")
        if kind == "update" or address is None:
            return True
        if address in known:
            return False
        known.add(address)
        return True

    sent(new)


@mails("calendar_book", INVITED)
def addresses_of_attendees_lose_their_tag() -> None:
    send = calendar._mail

    def mail(call: Any, event: Any, kind: str) -> None:
        attendee = event.attendee or {}
        if "email" in attendee:
            local, _, domain = attendee["email"].rpartition("@")
            event = replace(event, attendee={**attendee, "email": f"{local.partition('+')[0]}@{domain}"})
        send(call, event, kind)

    patch(calendar, "_mail", mail)


@mails("calendar_reschedule", NOTIFIED)
def attendees_are_always_notified_of_a_new_time() -> None:
    times = {"start", "end", "durationMinutes"}
    reschedule = HANDLERS["calendar_reschedule"]

    def notifying(call: Any) -> Any:
        answer = reschedule(call)
        if call.body.get("notifyAttendees") is False and times & call.body.keys():
            calendar._mail(call, call.project.events.get(call.path["eventId"]), "update")
        return answer

    HANDLERS["calendar_reschedule"] = notifying
