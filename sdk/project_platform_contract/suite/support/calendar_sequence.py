"""Requests to calendars, one after the other, each checked against a model of them."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from random import Random
from typing import Any

import httpx

from project_platform_contract.data.data_file import Data

from .calendar import Bookings, joined
from .calendar_model import LENGTH, CalendarModel, Slot, cut, times
from .preconditions import require_refused

Json = dict[str, Any]


@dataclass
class Sequence:
    """The requests of a test, and the model of the calendars that they change.

    Attributes:
        callers: Bookings by identity, all in the stretch of the owner.
        strangers: The same for callers without access.
        chance: The source of all choices.
        scale: Length of a minute of the model in minutes.
        data: The data of the run.
        tag: The tag of the run.
        calendars: Identifiers of the calendars, the primary one first; empty if they are not known.
        strict: Whether an update with a conflict check must be refused if the slot is taken.
        rest: Returns further members of a booking, by name.
        changed: Events in the order of their last change, each with its calendar.
    """

    callers: Mapping[str, Bookings]
    strangers: Mapping[str, Bookings]
    chance: Random
    scale: int
    data: Data
    tag: str
    calendars: tuple[str, ...]
    strict: bool
    rest: Callable[[Random], Json]
    changed: dict[str, str] = field(default_factory=dict)
    _models: dict[str, CalendarModel] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self._models = {name: CalendarModel(self.chance, self.scale) for name in self.calendars or ("",)}

    def book(self, row: Json, number: int) -> tuple[Json, httpx.Response]:
        """Book an event, check the response, and return the body and the response."""
        calendar, named = self._calendar(row)
        model = self._models[calendar]
        slot = model.choose(row["place"])
        rest = self.rest(self.chance)
        body = {
            **self._slot(row["style"], slot, "start", "" if row["form"] == "duration" else "end"),
            **({} if row["form"] == "end" else {"durationMinutes": 5}),
            **({"durationMinutes": int(slot[1] - slot[0])} if row["form"] == "duration" else {}),
            "summary": f"{self.tag} {number}",
            **{name: value for name, value in rest.items() if row["rest"] in {name, "all"}},
            **named,
            **_switch("conflictCheck", row["check"]),
        }
        response = self._by(row).post(0, **body)
        if row["check"] is not False and model.taken(slot):
            assert response.status_code == 409, f"{body} was answered with {response.status_code}; the slot is taken"
            return body, response
        assert response.is_success, f"{body} was answered with {response.status_code}; the slot is free"
        booking = response.json()
        assert booking["bookingUid"] not in self.changed, f"{body} was answered with the event of another booking"
        self._set(booking["bookingUid"], booking, calendar, slot, body)
        return body, response

    def update(self, row: Json, number: int) -> tuple[str, Json, httpx.Response]:
        """Update an event, check the response, and return the event, the body and the response."""
        uid = self._event(row["event"])
        calendar = self.changed[uid]
        model, before = self._models[calendar], self._models[calendar].slots[uid]
        slots = _updated(model, row, uid, before)
        moved = row["form"].split(" and ")
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
        if not response.is_success:
            may_be_taken = body.get("conflictCheck") is not False and True in overlaps
            assert may_be_taken, f"{shown} was answered with {response.status_code}; the slot is free"
            assert response.is_client_error, f"{shown} was answered with {response.status_code}"
            return uid, body, response
        checked = self.strict and body.get("conflictCheck") is True and overlaps == {True}
        assert not checked, f"{shown} was not refused; the slot is taken"
        assert self.callers["owner"].is_same({"bookingUid": uid}, response.json()), (
            f"{shown} was answered with another event"
        )
        span = self.callers["owner"].span(response.json())
        if moved == ["start"] and not self.strict:  # the end may stay, move along, or have another length
            slots = [(slots[0][0], span[1])]
        self._set(uid, response.json(), calendar, span if span in slots else slots[0], body)
        return uid, body, response

    def refuse(self, kind: str, number: int) -> None:
        """Send a request that must be refused.

        Raises:
            MissingError: It is not.
        """
        uid = self._event("any")
        model, owner = self._models[self.changed[uid]], self.callers["owner"]
        slot: Json = {**self._slot("utc", model.choose("apart"), "start", "end"), "conflictCheck": False}
        booking = {"summary": f"{self.tag} {number}", **slot}
        event = {"bookingUid": uid}
        match kind:
            case "empty summary":
                require_refused(owner.post(0, **{**booking, "summary": ""}))
            case "unknown calendar":
                require_refused(owner.post(0, **booking, calendarId=f"{self.tag}-nothing"))
            case "unknown event":
                require_refused(owner.move({"bookingUid": f"{self.tag}-nothing"}, **slot))
            case "taken":
                taken = self._slot("utc", model.slots[uid], "start", "end")
                named = {"calendarId": self.changed[uid]} if self.changed[uid] else {}
                require_refused(owner.post(0, **{**booking, **taken, **named, "conflictCheck": True}))
            case "read-only calendar" if "read_only_calendar" in self.data.values:
                require_refused(owner.post(0, **booking, calendarId=self.data["read_only_calendar"]))
            case "another calendar":
                # The service may refuse, or move nothing.
                owner.move(event, **slot, calendarId=f"{self.tag}-nothing")
            case "invalid start" | "invalid duration":
                invalid = {"start": "soon"} if kind == "invalid start" else {"durationMinutes": "long"}
                require_refused(owner.post(0, **{**booking, **invalid}))
                require_refused(owner.move(event, **{**slot, **invalid}))
            case _ if kind in self.strangers and self.calendars:
                require_refused(self.strangers[kind].post(0, **booking, calendarId=self.calendars[0]))
                require_refused(self.strangers[kind].move(event, **slot))
            case _:
                pass

    def compare(self, row: Json) -> None:
        """Compare the busy intervals of a calendar with the model, in a window around all events or in another one."""
        calendar, named = self._calendar(row)
        model = self._models[calendar]
        window = (0.0, float(LENGTH * self.scale)) if row["window"] == "whole" else model.window()
        query = self._times(row["style"], timeMin=window[0], timeMax=window[1])
        if row["style"] == "utc" and named:
            query = {name: text.replace("Z", ".000Z") for name, text in query.items()}
        listed = self._by(row).listed({**query, **named})
        assert _seconds(joined(cut(listed, window))) == _seconds(model.busy(window)), f"in {window}: {query} {named}"
        assert model.outside(listed) == [], f"listed in {window}: {query} {named}"

    def slot_of(self, uid: str) -> Slot:
        """Return the slot of an event."""
        return self._models[self.changed[uid]].slots[uid]

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

    def _set(self, uid: str, booking: Json, calendar: str, slot: Slot, body: Json) -> None:
        assert self.callers["owner"].span(booking) == slot, f"{body} was answered with other times than {slot}"
        same = not calendar or self.callers["owner"].is_same_calendar(calendar, booking["calendarId"])
        assert same, f"{body} was answered with another calendar"
        self._models[calendar].slots[uid] = slot
        self.changed.pop(uid, None)
        self.changed[uid] = calendar

    def _event(self, which: str) -> str:
        uids = list(self.changed)
        return self.chance.choice(uids) if which == "any" else uids[0 if which == "first" else -1]

    def _by(self, row: Json) -> Bookings:
        return self.callers.get(row["caller"], self.callers["owner"])


def _updated(model: CalendarModel, row: Json, uid: str, before: Slot) -> list[Slot]:
    """Return the slot of an event after an update; two slots if the end may stay or move along."""
    match row["form"]:
        case "start and end" | "start and duration":
            return [model.choose(row["place"], uid)]
        case "end" | "duration":
            return [model.choose(row["place"], uid, start=before[0])]
        case "start":
            start, end = model.choose(row["place"], uid, end=before[1])
            return [(start, end), (start, start + before[1] - before[0])]
        case _:
            return [before]


def _switch(name: str, value: bool | None) -> Json:
    return {} if value is None else {name: value}


def _seconds(slots: list[Slot]) -> list[tuple[int, int]]:
    """Return slots in seconds."""
    return [(round(start * 60), round(end * 60)) for start, end in slots]
