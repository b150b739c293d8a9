"""The stored events of a stub, and the mails to their attendees, which no operation shows."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from random import Random
from typing import Any, Final

from ..support.free_form import FALSY, TEXTS
from ..support.json_equality import differences
from .stream import Stream

Json = dict[str, Any]

ABOUT: Final = "/calendar/"
"""Part of the paths of all requests to calendars: whether a slot is taken depends on all of them."""

_FIELDS: Final = {
    "summary": "calendar.book.title",
    "description": "calendar.book.title",
    "attendee": "calendar.book.attendee",
    "metadata": "calendar.book.metadata",
    "calendar": "calendar.book.other-calendar",
}
"""The rule of each field of a new event."""

STORED: Final = (
    *dict.fromkeys(_FIELDS.values()),
    *("calendar.book.invitation", "calendar.book.no-invitation", "calendar.book.refused-writes-nothing"),
    *("calendar.reschedule.title", "calendar.reschedule.keeps-rest", "calendar.reschedule.refused-changes-nothing"),
    *("calendar.reschedule.notifies", "calendar.reschedule.silent", "calendar.sequence-stored"),
)
"""The rules that only a stub can prove."""


class DifferenceError(Exception):
    """A response differs from the model, which ends the sequence: what follows would differ, too."""


def stored_rest(recipient: str) -> Callable[[Random], Json]:
    """Return a function that returns members of all kinds: any text, every part of an attendee, any metadata."""

    def rest(chance: Random) -> Json:
        texts = list(TEXTS.values())
        attendee = {"email": recipient, "name": chance.choice(texts), "phone": chance.choice(texts)}
        return {
            "description": chance.choice(texts),
            "attendee": chance.choice(
                (attendee, {"email": recipient}, dict(chance.sample([*attendee.items()], 1)), {})
            ),
            "metadata": {chance.choice("ab"): chance.choice([*texts, *FALSY.values(), 7, [1, {"a": "b"}]])},
        }

    return rest


class Stored:
    """Compares the events and the mails of a stub with what the requests of a sequence gave them.

    Args:
        stream: The stream that sends the requests.
        calendars: The calendar of each event of the sequence.
    """

    def __init__(self, stream: Stream, calendars: Mapping[str, str]) -> None:
        self._stream = stream
        self._calendars = calendars
        stream.run.gate("calendar_reschedule")  # Its plain request books events, too.
        self._events = stream.run.target.stub_project("an event").events
        self._others = dict(self._events)
        self._mails = stream.run.target.outbox()
        self._seen = len(self._mails)
        self._held: dict[str, Json] = {}

    def compare(self, operation: str, uid: str | None, body: Json) -> None:
        """Compare events and mails after a request.

        Args:
            operation: The operationId; empty for one that must be refused.
            uid: The event; None if the request was refused.
            body: The body of the request.

        Raises:
            DifferenceError: Something differs.
        """
        if uid is None:
            refused = ("calendar.reschedule.refused-changes-nothing", "calendar.book.refused-writes-nothing")
            self._check(refused, self._changed(), body)
            self._check(["calendar.book.no-invitation"], self._mailed(), body)
            return
        booked = operation == "calendar_book"
        if booked:
            self._held[uid] = {"description": None, "attendee": {}, "metadata": {}, **body}
        self._held[uid] |= {name: body[name] for name in ("summary", "description") if name in body}
        for name, rule in _FIELDS.items():
            updated = "calendar.reschedule.title" if name in body else "calendar.reschedule.keeps-rest"
            self._check([rule if booked else updated], self._different(uid, name), body)
        address = self._held[uid]["attendee"].get("email")
        expected = [] if address is None or body.get("notifyAttendees") is False else [(address, uid)]
        rules = ("invitation", "no-invitation") if booked else ("notifies", "silent")
        rule = f"calendar.{'book' if booked else 'reschedule'}.{rules[0 if expected else 1]}"
        mailed = self._mailed()
        self._check([rule], mailed != expected and f"{mailed} was mailed, not {expected}", body)
        self._check([], self._changed(), body)

    def _check(self, rules: list[str] | tuple[str, ...], problem: object, body: Json) -> None:
        for rule in (*rules, "calendar.sequence-stored"):
            self._stream.check(rule, problem and f"{problem} after {body}", ABOUT)
        if problem:
            raise DifferenceError

    def _mailed(self) -> list[tuple[str, str]]:
        """Return the recipients and the events of the mails since the last request."""
        mailed = [(mail.to, mail.booking_uid) for mail in self._mails[self._seen :]]
        self._seen = len(self._mails)
        return mailed

    def _changed(self) -> list[str]:
        """Return what differs of all events."""
        found = [difference for uid in self._held for name in _FIELDS for difference in self._different(uid, name)]
        others = {uid: event for uid, event in self._events.items() if uid not in self._held}
        return found if others == self._others else [*found, "there are other events"]

    def _different(self, uid: str, name: str) -> list[str]:
        """Return how a field of an event differs; an attendee or metadata that were not sent are empty."""
        if name == "calendar":
            same = self._events[uid].calendar_id == self._calendars[uid]
            return [] if same else [f"the calendar is {self._events[uid].calendar_id}"]
        empty: Json = {"attendee": {}, "metadata": {}}
        return differences(self._held[uid][name], getattr(self._events[uid], name) or empty.get(name))
