"""Requests to calendars, one after the other, each checked against a model of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from functools import partial
from itertools import chain
from random import Random
from typing import Any, Final, NamedTuple

import httpx

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.contract_run import Run
from project_platform_contract.schema import field_problem

from ..support.calendar import Bookings, busy, joined
from ..support.calendar_model import LENGTH, PLACES, CalendarModel, Slot, cut, overlap, times
from ..support.covering import covering
from .calendar_stored import ABOUT, STORED, DifferenceError, Stored, stored_rest
from .stream import Checks, Stream

Json = dict[str, Any]

_REFUSED: Final = {
    "empty summary": "calendar.book.summary-length",
    "unknown calendar": "calendar.book.calendar-id",
    "unknown event": "calendar.reschedule.unknown-event",
    "taken": "calendar.book.conflict-writes-nothing",
    "read-only calendar": "calendar.book.write-scope",
    "another calendar": "calendar.reschedule.calendar-id",
    "another project": "scope.own-things.calendar-reschedule",
    "calendar of another project": "scope.own-things.calendar-book",
}
"""Kinds of refused requests, and the rule of each."""

_NEEDED: Final[Mapping[str, list[str]]] = {
    "read-only calendar": ["read_only_calendar"],
    "another project": ["other_project"],
    "calendar of another project": ["other_project", "calendar"],
}
"""The members of the data file that a refused request needs."""

RULES: Final = (
    *("calendar.book.conflict", "calendar.book.conflict-default", "calendar.book.conflict-off"),
    *("calendar.book.conflict-only-taken", "calendar.book.answers-booking", "calendar.book.time-zone"),
    *("calendar.book.start-offset", "calendar.book.end-default", "calendar.book.end-given"),
    *("calendar.book.primary-calendar", "calendar.reschedule.conflict-only-taken"),
    "calendar.reschedule.conflict-check",
    *("calendar.reschedule.answers-booking", "calendar.reschedule.keeps-slot", "calendar.reschedule.time-zone"),
    *("calendar.reschedule.duration", "calendar.reschedule.moves", "calendar.busy.every-event"),
    *("calendar.busy.answers-intervals", "calendar.sequence", "calendar.sequence-long", "calendar.sequence-checked"),
    *("calendar.book.written", "calendar.book.conflict-moved", "calendar.book.offset-of-times", "fields.booking.types"),
    *("calendar.book.calendar-name", "calendar.reschedule.keeps-identifier", "calendar.reschedule.members"),
    *(*_REFUSED.values(), *STORED),
)
"""The rules that the sequences check."""

_SEQUENCES: Final = 4
_STYLES: Final = ("utc", "milliseconds", "offset", "local", "offset in a zone")
_ACCOUNT: Final = "service_account"
_MINUTE: Final = timedelta(minutes=1)
_OFF: Final = {"conflictCheck": False, "notifyAttendees": False}  # As in plain requests, which were accepted.
_SWITCH: Final = (None, True, False)
# With these seeds, the sequences check each rule several times.
_BOOKINGS: Final = covering(
    {
        "form": ("end", "duration", "end and duration"),
        "style": _STYLES,
        "check": _SWITCH,
        "calendar": (False, True),
        "rest": ((), ("attendee",), ("description", "metadata"), ("description", "attendee", "metadata")),
        "caller": ("owner", _ACCOUNT),
        "place": tuple(PLACES),
    },
    seed=4,
)
_UPDATES: Final = covering(
    {
        "form": ("start and end", "start and duration", "start", "end", "duration", "nothing", "back"),
        "style": _STYLES,
        "check": _SWITCH,
        "notify": _SWITCH,
        "calendar": (False, True),
        "texts": ((), ("summary",), ("description",), ("summary", "description")),
        "caller": ("owner", _ACCOUNT),
        "place": tuple(PLACES),
        "event": ("first", "last", "any"),
    },
    seed=1,
)
_LISTS: Final = covering(
    {
        "window": ("whole", "part"),
        "style": ("utc", "offset"),
        "calendar": (False, True),
        "caller": ("owner", "viewer", _ACCOUNT),
    }
)


def _plain_rest(chance: Random) -> Json:
    """Return further members of a booking: texts that look like other members, and an attendee without an address."""
    return {
        "description": chance.choice(("conflictCheck: false", "What it is about, \U0001f33e included.")),
        "attendee": chance.choice(({"name": "Guest"}, {"phone": "007"}, {"name": "Guest", "phone": "007"})),
        "metadata": {
            "conflictCheck": False,
            "calendarId": "other",
            "durationMinutes": 1,
            "timeZone": "Asia/Tokyo",
            **dict.fromkeys(("bookingUid", "id", "htmlLink", "start", "end", "summary"), "of metadata"),
        },
    }


class Sent(NamedTuple):
    """A request with a response that the model expects.

    Attributes:
        operation: The operationId.
        uid: The event; None if the request was refused.
        body: The body of the request.
    """

    operation: str
    uid: str | None
    body: Json


@dataclass
class Sequence:
    """The requests of a test, and the model of the calendars that they change.

    Attributes:
        callers: Bookings by identity, all in the stretch of the owner.
        elsewhere: The same for the owner in the other project.
        chance: The source of all choices.
        scale: Length of a minute of the model in minutes.
        data: The data of the run.
        tag: The tag of the run.
        calendars: Identifiers of the calendars, the primary one first; empty if they are not known.
        strict: Whether an update with a conflict check must be refused if the slot is taken.
        rest: Returns further members of a booking, by name.
        check: Checks a rule; there is a problem if the second argument is truthy, which ends the sequence.
        note: Same as `check`, but of a rule about this response alone, which ends no sequence.
        leaves_out: Returns whether a request is refused as invalid, so that nothing about it is checked.
        changed: Events in the order of their last change, each with its calendar.
    """

    callers: Mapping[str, Bookings]
    elsewhere: Bookings
    chance: Random
    scale: int
    data: Data
    tag: str
    calendars: tuple[str, ...]
    strict: bool
    rest: Callable[[Random], Json]
    check: Callable[[str, object], None]
    note: Callable[[str, object], object]
    leaves_out: Callable[[httpx.Response], bool]
    changed: dict[str, str] = field(default_factory=dict)
    _shown: dict[str, set[str]] = field(default_factory=dict)  # Members of a booking by event.
    _left: list[tuple[str, str, Slot]] = field(default_factory=list)  # Event, calendar, and a slot that it had.
    _models: dict[str, CalendarModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._models = {name: CalendarModel(self.chance, self.scale) for name in self.calendars or ("",)}

    def book(self, row: Json, number: int) -> Sent:
        """Book an event, check the response, and return what was sent."""
        calendar, named = self._calendar(row)
        model = self._models[calendar]
        slot = model.choose(row["place"])
        rest = self.rest(self.chance)
        body = {
            **self._slot(row["style"], slot, "start", "" if row["form"] == "duration" else "end"),
            **({} if row["form"] == "end" else {"durationMinutes": 5}),
            **({"durationMinutes": int(slot[1] - slot[0])} if row["form"] == "duration" else {}),
            "summary": f"{self.tag} {number}",
            **{name: value for name, value in rest.items() if name in row["rest"]},
            **named,
            **_switch("conflictCheck", row["check"]),
        }
        response = self._by(row).post(0, **body)
        shown, taken = f"{body} was answered with {response.status_code}", model.taken(slot)
        if self.leaves_out(response) and not self._by(row).post(0, **body | {"conflictCheck": False}).is_success:
            return Sent("calendar_book", None, body)
        if row["check"] is not False and taken:
            rule = "calendar.book.conflict" if row["check"] else "calendar.book.conflict-default"
            self.check(rule, response.status_code != 409 and f"{shown}; the slot is taken")
            return Sent("calendar_book", None, body)
        rule = "calendar.book.conflict-off" if taken else "calendar.book.conflict-only-taken"
        if not taken and any(where == calendar and overlap(slot, left) for _, where, left in self._left):
            rule = "calendar.book.conflict-moved"
        self.check(rule, not response.is_success and f"{shown}; the slot is free")
        booking = response.json()
        self._note(booking, body)
        self._shown[booking["bookingUid"]] = _members(booking)
        known = booking["bookingUid"] in self.changed
        self.check("calendar.book.answers-booking", known and f"{body} was answered with the event of another booking")
        self._set(booking["bookingUid"], booking, calendar, slot, body, _times_of_booking(row))
        return Sent("calendar_book", booking["bookingUid"], body)

    def _note(self, booking: Json, body: Json) -> None:
        """Check what each booking shows of itself."""
        missing = [name for name in ("bookingUid", "start", "end") if booking[name] is None]
        self.note("fields.booking.types", field_problem("BookingResult", booking) or missing)
        local = [booking[name] for name in ("start", "end") if datetime.fromisoformat(booking[name]).tzinfo is None]
        self.note("calendar.book.offset-of-times", local and f"{body} was answered with {local}")
        if "calendarId" not in body and self.calendars:
            other = booking["calendarId"] != self.calendars[0]
            self.note("calendar.book.calendar-name", other and f"{booking['calendarId']} is not {self.calendars[0]}")

    def update(self, row: Json, number: int) -> Sent:
        """Update an event, check the response, and return what was sent."""
        uid = self._event(row["event"])
        calendar = self.changed[uid]
        model, before = self._models[calendar], self._models[calendar].slots[uid]
        had = [slot for event, _, slot in self._left if event == uid]
        slots = had[-1:] if had and row["form"] == "back" else _updated(model, row, uid, before)
        moved = ["start", "end"] if row["form"] == "back" else row["form"].split(" and ")
        body = {
            **self._slot(row["style"], slots[0], *moved),
            **({"durationMinutes": int(slots[0][1] - slots[0][0])} if "duration" in moved else {}),
            **{name: f"{self.tag} {name} {number}" for name in row["texts"]},
            **({"calendarId": calendar} if row["calendar"] and calendar else {}),
            **_switch("conflictCheck", row["check"]),
            **_switch("notifyAttendees", row["notify"]),
        }
        overlaps = {model.taken(slot, but=uid) for slot in slots}
        if moved == ["nothing"] and True in overlaps:
            body["conflictCheck"] = False  # an event that overlaps another one and is not moved may be refused
        shown = f"the update of an event at {before} with {body}"
        response = self._by(row).move({"bookingUid": uid}, **body)
        if self.leaves_out(response) and (
            True in overlaps or not self._by(row).move({"bookingUid": uid}, **body | _OFF).is_success
        ):
            return Sent("calendar_reschedule", None, body)
        if not response.is_success:
            may_be_taken = body.get("conflictCheck") is not False and True in overlaps
            wrong = not may_be_taken or not response.is_client_error
            rule = "calendar.reschedule.conflict-only-taken" if row["check"] else _moves(row)
            self.check(rule, wrong and f"{shown} was answered with {response.status_code}; the slot is free")
            return Sent("calendar_reschedule", None, body)
        if self.strict and body.get("conflictCheck") is True:
            # An event with the times that it had is not moved, whatever else is booked there.
            taken = overlaps == {True} and slots != [before] and f"{shown} was not refused; the slot is taken"
            self.check("calendar.reschedule.conflict-check", taken)
        self.note("calendar.reschedule.keeps-identifier", response.json()["bookingUid"] != uid and shown)
        lacking = self._shown[uid] - _members(response.json())
        self.note("calendar.reschedule.members", lacking and f"{shown} was answered without {lacking}")
        same = self.callers["owner"].is_same({"bookingUid": uid}, response.json())
        self.check("calendar.reschedule.answers-booking", not same and f"{shown} was answered with another event")
        span = self.callers["owner"].span(response.json())
        if moved == ["start"] and not self.strict:  # the end may stay, move along, or have another length
            slots = [(slots[0][0], span[1])]
        # Where an event ends that gets a new start alone, the specification does not say.
        rule = "calendar.sequence-checked" if moved == ["start"] else _moves(row)
        self._set(uid, response.json(), calendar, span if span in slots else slots[0], body, rule)
        if self._models[calendar].slots[uid] != before:
            self._left.append((uid, calendar, before))
        return Sent("calendar_reschedule", uid, body)

    def refuse(self, kind: str, number: int) -> None:
        """Send a request that must be refused, after which the events are the same.

        Args:
            kind: A key of `_REFUSED`.
            number: Number of the request.

        Raises:
            MissingError: Something was written, so that the sequence ends.
        """
        response = self._refused(kind, number)
        # With another calendar, the service may refuse an update, or move nothing.
        accepted = response.is_success and kind != "another calendar" and f"{response.status_code} for the {kind}"
        self.note(_REFUSED[kind], accepted)
        window = (0.0, float(LENGTH * self.scale))
        listed = self.callers["owner"].listed(self._times("utc", timeMin=window[0], timeMax=window[1]))
        written = _difference(listed, next(iter(self._models.values())), window)
        self.note(_REFUSED[kind], written and f"{written} after the {kind}")
        if written:
            raise MissingError(f"the {kind} wrote something")

    def _refused(self, kind: str, number: int) -> httpx.Response:
        uid, owner = self._event("any"), self.callers["owner"]
        model, calendar = self._models[self.changed[uid]], self.changed[uid]
        slot: Json = {**self._slot("utc", model.choose("apart"), "start", "end"), "conflictCheck": False}
        booking, event = {"summary": f"{self.tag} {number}", **slot}, {"bookingUid": uid}
        match kind:
            case "empty summary":
                return owner.post(0, **{**booking, "summary": "", "description": "A description"})
            case "unknown calendar":
                return owner.post(0, **booking, calendarId=f"{self.tag}-nothing")
            case "unknown event":
                return owner.move({"bookingUid": f"{self.tag}-nothing"}, **slot)
            case "taken":
                taken = self._slot("utc", model.slots[uid], "start", "end")
                named = {"calendarId": calendar} if calendar else {}
                return owner.post(0, **{**booking, **taken, **named, "conflictCheck": True})
            case "read-only calendar":
                return owner.post(0, **booking, calendarId=self.data["read_only_calendar"])
            case "another calendar":
                return owner.move(event, **slot, calendarId=f"{self.tag}-nothing")
            case "calendar of another project":
                return self.elsewhere.post(0, **booking, calendarId=self.data["calendar"])
            case _:
                return self.elsewhere.move(event, **slot)

    def compare(self, row: Json, rule: str = "calendar.busy.every-event") -> None:
        """Compare the busy intervals of a calendar with the model, in a window around all events or in another one.

        Args:
            row: How they are listed.
            rule: The rule that a difference violates.
        """
        calendar, named = self._calendar(row)
        model = self._models[calendar]
        window = (0.0, float(LENGTH * self.scale)) if row["window"] == "whole" else model.window()
        query = self._times(row["style"], timeMin=window[0], timeMax=window[1])
        if row["style"] == "utc" and named:
            query = {name: text.replace("Z", ".000Z") for name, text in query.items()}
        response = self._by(row).query({**query, **named})
        if not response.is_success:  # who may list, the specification does not say
            response = self.callers["owner"].query({**query, **named})
        self.check("calendar.busy.every-event", not response.is_success and f"{response.status_code}: {query} {named}")
        listed = self.callers["owner"].spans(response)
        different = _difference(listed, model, window)
        self.check(rule, different and f"{different}: {query} {named}")
        self.check("calendar.busy.answers-intervals", model.outside(listed) and f"listed in {window}: {query} {named}")

    def _times(self, style: str, **minutes: float) -> Json:
        return times(self.callers["owner"], self.chance, style, **minutes)

    def _slot(self, style: str, slot: Slot, *names: str) -> Json:
        """Return the start and the end of a slot, or those of them that are named."""
        found = dict(zip(("start", "end"), slot, strict=True))
        return self._times(style, **{name: minute for name, minute in found.items() if name in names})

    def _calendar(self, row: Json) -> tuple[str, Json]:
        """Return the identifier of a calendar, and the member of a request that names it, if the row says so."""
        if not self.calendars:
            return "", {}
        if not row["calendar"]:
            return self.calendars[0], {}
        calendar = self.chance.choice(self.calendars)
        return calendar, {"calendarId": calendar}

    def _set(  # noqa: PLR0917  # what an event is
        self, uid: str, booking: Json, calendar: str, slot: Slot, body: Json, rule: str
    ) -> None:
        span = self.callers["owner"].span(booking)
        self.check(rule, span != slot and f"{body} was answered with {span}, not {slot}")
        same = not calendar or self.callers["owner"].is_same_calendar(calendar, booking["calendarId"])
        self.check("calendar.book.primary-calendar", not same and f"{body} was answered with another calendar")
        self._models[calendar].slots[uid] = slot
        self.changed.pop(uid, None)
        self.changed[uid] = calendar

    def _event(self, which: str) -> str:
        if not (uids := list(self.changed)):
            raise MissingError("no event was booked")
        return self.chance.choice(uids) if which == "any" else uids[0 if which == "first" else -1]

    def _by(self, row: Json) -> Bookings:
        return self.callers.get(row["caller"], self.callers["owner"])


def _updated(model: CalendarModel, row: Json, uid: str, before: Slot) -> list[Slot]:
    """Return the slot of an event after an update; two slots if the end may stay or move along."""
    match row["form"]:
        case "start and end" | "start and duration" | "back":
            return [model.choose(row["place"], uid)]
        case "end" | "duration":
            return [model.choose(row["place"], uid, start=before[0])]
        case "start":
            start, end = model.choose(row["place"], uid, end=before[1])
            return [(start, end), (start, start + before[1] - before[0])]
        case _:
            return [before]


def _times_of_booking(row: Json) -> str:
    """Return the rule of the times of a booking."""
    if row["style"] == "local":
        return "calendar.book.time-zone"
    if row["style"].startswith("offset"):
        return "calendar.book.start-offset"
    return "calendar.book.end-default" if row["form"] == "duration" else "calendar.book.end-given"


def _moves(row: Json) -> str:
    """Return the rule of the times of an update."""
    if row["form"] == "nothing":
        return "calendar.reschedule.keeps-slot"
    if row["style"] == "local" and row["form"] != "duration":
        return "calendar.reschedule.time-zone"
    return "calendar.reschedule.duration" if "duration" in row["form"] else "calendar.reschedule.moves"


def _members(booking: Json) -> set[str]:
    """Return the names of the members that have a value."""
    return {name for name, value in booking.items() if value is not None}


def _switch(name: str, value: bool | None) -> Json:
    return {} if value is None else {name: value}


def _difference(listed: list[Slot], model: CalendarModel, window: Slot) -> str:
    """Return how the busy intervals of a window differ from the model, to the second; empty if they do not."""
    found, expected = (_seconds(slots) for slots in (joined(cut(listed, window)), model.busy(window)))
    return "" if found == expected else f"{found} is busy in {window}, not {expected}"


def _seconds(slots: list[Slot]) -> list[tuple[int, int]]:
    """Return slots in seconds."""
    return [(round(start * 60), round(end * 60)) for start, end in slots]


def _sequence_of(
    stream: Stream, number: int, check: Callable[[str, object], None], others: tuple[str, ...]
) -> tuple[Sequence, list[tuple[str, Json]]]:
    """Return a sequence, and the requests that it sends.

    Args:
        stream: The stream that sends them.
        number: Number of the sequence; events of the last one take hours.
        check: Checks a rule.
        others: Other calendars than the primary one.
    """
    run, data, tag = stream.run, stream.run.data, stream.run.tag
    chance = Random(number)  # noqa: S311  # no secret
    scale = 16 if number == _SEQUENCES - 1 else 1  # then events take hours, across midnight
    owner = Bookings(stream.api("owner"), run, long=scale > 1)
    callers = {"owner": owner}
    for identity in stream.identities(_ACCOUNT, "viewer"):
        callers[identity] = Bookings(stream.api(identity), run, begin=owner.begin)
    project = data.values.get("other_project")
    elsewhere = Bookings(stream.api("owner"), run, begin=owner.begin, project=project)
    # The specification does not say which events a service account or a viewer may write.
    if _ACCOUNT in callers and not callers[_ACCOUNT].post(LENGTH * scale, durationMinutes=1).is_success:
        del callers[_ACCOUNT]
    if "viewer" in callers and not busy(stream.api("viewer"), owner.begin, owner.begin + _MINUTE).is_success:
        del callers["viewer"]
    calendars = (data["calendar"], *others) if "calendar" in data.values else ()
    rest = stored_rest(data["recipient"]) if others else _plain_rest
    strict = 0 < number < _SEQUENCES - 1
    note = partial(stream.check, about=ABOUT)
    sequence = Sequence(
        callers, elsewhere, chance, scale, data, tag, calendars, strict, rest, check, note, stream.leaves_out
    )
    requests = [("book", row) for row in _BOOKINGS[number::_SEQUENCES]]
    for row in _UPDATES[number::_SEQUENCES]:
        requests.insert(chance.randint(2, len(requests)), ("update", row))
    return sequence, requests


def play(stream: Stream) -> Checks:
    """Send all sequences, and return the checks; on a stub, they have a second calendar, and its events are compared."""
    with _other_calendars(stream.run) as others:
        if not others:
            stream.checks.missing.append("no operation shows an event; only a stub does")
        for name in dict.fromkeys(chain.from_iterable(_NEEDED.values())):
            stream.attempt(partial(stream.run.data.__getitem__, name))
        for number in range(_SEQUENCES):
            rule = {0: "calendar.sequence", _SEQUENCES - 1: "calendar.sequence-long"}.get(
                number, "calendar.sequence-checked"
            )

            def check(id: str, problem: object, rule: str = rule) -> None:
                # Others may book in the two days of the long sequence, which is why its rule is inferred.
                for name in {rule, id} if rule != "calendar.sequence-long" else {rule}:
                    stream.check(name, problem, ABOUT)
                if problem:
                    raise DifferenceError

            try:
                sequence, requests = _sequence_of(stream, number, check, others)
                _send(sequence, requests, number, Stored(stream, sequence.changed) if others else None)
            except DifferenceError:
                continue
            except (MissingError, httpx.TransportError) as error:
                stream.checks.missing.append(str(error))
    return stream.end()


@contextmanager
def _other_calendars(run: Run) -> Iterator[tuple[str, ...]]:
    """Yield a second calendar of a stub that can be written to, until the end; none if the target is no stub."""
    if run.target.stub is None or not {"calendar", "recipient"} <= run.data.values.keys():
        yield ()
        return
    calendars, id = run.target.stub.project.calendars, f"{run.tag}-other-calendar"
    calendars[id] = replace(calendars[run.data["calendar"]], id=id, blocks=())
    yield (id,)
    del calendars[id]


def _send(sequence: Sequence, requests: list[tuple[str, Json]], number: int, stored: Stored | None) -> None:
    """Send requests, some that are refused, and queries of the busy intervals between them."""
    kinds = [kind for kind in _REFUSED if {*_NEEDED.get(kind, ())} <= sequence.data.values.keys()]
    for count, (kind, row) in enumerate(requests):
        sent = sequence.book(row, count) if kind == "book" else sequence.update(row, count)
        if stored is not None:
            stored.compare(*sent)
        # In the two days of the long sequence, others may book.
        if count % 5 == 4 and number < _SEQUENCES - 1:
            sequence.refuse(kinds[(3 * number + count // 5) % len(kinds)], count)
            if stored is not None:
                stored.compare("", None, {})
        if sent.uid is not None and count % 3:  # what the others wrote is listed later
            rule = "calendar.book.written" if sent.operation == "calendar_book" else "calendar.busy.every-event"
            sequence.compare(_LISTS[count % len(_LISTS)], rule)
    if sequence.changed:
        sequence.compare({**_LISTS[0], "window": "whole"})
