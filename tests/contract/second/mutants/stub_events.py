"""Broken stub servers: titles, descriptions, attendees and metadata of events, which no operation shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations.call import Answer, Call, Handler

from ...suite.mutations.mutation import with_body, without, wrap
from ...suite.mutations.record_updates import keep_what_failed
from ..mutant import Kind

events = Kind("what an event is", "stub")


TITLE = "| summary | string | event title; min length 1 |"


CHANGES = "moves start/end and/or changes title/description."


def stored(name: str, sentence: str, operation: str, change: Callable[[Call], Call]) -> None:
    """Register a mutant that stores something else than the request."""
    events.add(name, operation, sentence, lambda: wrap(operation, lambda rule, call: rule(change(call))))


def changed(field: str, change: Callable[[Any], Any]) -> Callable[[Call], Call]:
    """Return a function that changes a member of a body."""
    return lambda call: with_body(call, **{field: change(call.body[field])}) if field in call.body else call


stored("the title of an event is trimmed", TITLE, "calendar_book", changed("summary", str.strip))


stored(
    "the title of an event is cut after 60 characters",
    TITLE,
    "calendar_book",
    changed("summary", lambda text: text[:60]),
)


stored(
    "the title of an event is ASCII",
    TITLE,
    "calendar_book",
    changed("summary", lambda text: text.encode("ascii", "replace").decode()),
)


stored(
    "the title of an event is escaped",
    TITLE,
    "calendar_book",
    changed("summary", lambda text: text.replace("&", "&amp;").replace("<", "&lt;")),
)


stored(
    "the title of an event has the name of the attendee",
    TITLE,
    "calendar_book",
    lambda call: (
        with_body(call, summary=f"{call.body['summary']} ({call.body['attendee'].get('name')})")
        if call.body.get("attendee")
        else call
    ),
)


stored(
    "the description of an event is one line",
    "| description | string | |",
    "calendar_book",
    changed("description", lambda text: " ".join(text.split())),
)


stored(
    "the description of an event is cut after 255 characters",
    "| description | string | |",
    "calendar_book",
    changed("description", lambda text: text[:255]),
)


stored(
    "the description of a booking is lost with an attendee",
    "| description | string | |",
    "calendar_book",
    lambda call: without(call, "description") if "attendee" in call.body else call,
)


stored(
    "the metadata of a booking are lost",
    "| metadata | object | |",
    "calendar_book",
    lambda call: without(call, "metadata"),
)


stored(
    "falsy metadata of a booking are lost",
    "| metadata | object | |",
    "calendar_book",
    changed("metadata", lambda value: {key: part for key, part in value.items() if part}),
)


stored(
    "nested metadata of a booking are texts",
    "| metadata | object | |",
    "calendar_book",
    changed(
        "metadata",
        lambda value: {key: str(part) if isinstance(part, dict | list) else part for key, part in value.items()},
    ),
)


stored(
    "the telephone of an attendee is lost",
    "object {name: string, email: string (email format), phone: string}",
    "calendar_book",
    changed("attendee", lambda value: {key: part for key, part in value.items() if key != "phone"}),
)


stored(
    "the name of an attendee is lost",
    "object {name: string, email: string (email format), phone: string}",
    "calendar_book",
    changed("attendee", lambda value: {key: part for key, part in value.items() if key != "name"}),
)


stored(
    "a new title of an event is lost with a move",
    CHANGES,
    "calendar_reschedule",
    lambda call: without(call, "summary") if "start" in call.body else call,
)


stored(
    "a new description of an event is lost with a new title",
    CHANGES,
    "calendar_reschedule",
    lambda call: without(call, "description") if "summary" in call.body else call,
)


stored(
    "a new title clears the description of an event",
    CHANGES,
    "calendar_reschedule",
    lambda call: with_body(call, description="") if "summary" in call.body and "description" not in call.body else call,
)


stored(
    "an empty new description is ignored",
    CHANGES,
    "calendar_reschedule",
    lambda call: without(call, "description") if call.body.get("description") == "" else call,
)


stored(
    "a new description of an event is appended to the title",
    CHANGES,
    "calendar_reschedule",
    lambda call: (
        with_body(call, summary=call.body["description"])
        if "description" in call.body and "summary" not in call.body
        else call
    ),
)


stored(
    "a silent update loses the title",
    CHANGES,
    "calendar_reschedule",
    lambda call: without(call, "summary") if call.body.get("notifyAttendees") is False else call,
)


@events("calendar_reschedule", CHANGES)
def a_move_loses_the_attendee() -> None:
    def lost(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        event = call.project.events[call.path["eventId"]]
        call.project.events[event.uid] = replace(event, attendee=None)
        return answer

    wrap("calendar_reschedule", lost)


@events("calendar_reschedule", CHANGES)
def a_move_loses_the_metadata() -> None:
    def lost(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        event = call.project.events[call.path["eventId"]]
        call.project.events[event.uid] = replace(event, metadata=None)
        return answer

    wrap("calendar_reschedule", lost)


@events("calendar_reschedule", "`conflictCheck` (boolean)")
def a_move_that_was_refused_changes_the_title() -> None:
    keep_what_failed()

    def titled(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError as refusal:
            event = call.project.events.get(call.path["eventId"])
            if refusal.status == 409 and event is not None:
                call.project.events[event.uid] = replace(
                    event, summary=call.body.get("summary", f"{event.summary} (conflict)")
                )
            raise

    wrap("calendar_reschedule", titled)
