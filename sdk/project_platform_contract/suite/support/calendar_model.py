"""A model of a calendar: which slots its events have, and slots that touch, overlap or contain those of events.

Times are whole minutes from the start of a test's stretch, times a scale.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping
from itertools import pairwise
from random import Random
from typing import Any, Final
from zoneinfo import ZoneInfo

from .calendar import Bookings, joined

Slot = tuple[float, float]

LENGTH: Final = 176
"""Length of the part of a stretch that sequences use, in minutes times the scale."""

_LONGEST: Final = 24
# Distances of a new start or end from those of events.
_DISTANCES: Final = (0, 1, 3, 7, 12)
# Zones without daylight saving time, so that every local time of the stretch is one instant.
_ZONES: Final = ("Asia/Kolkata", "America/Phoenix", "Asia/Tokyo")
_OFFSETS: Final = ("+05:30", "-09:30", "+00:00", "-03:00", "+12:45")


class CalendarModel:
    """The slots of the events that a test booked.

    Attributes:
        slots: Slots by identifier of the event, in the order of the bookings.

    Args:
        chance: The source of all choices.
        scale: Length of a minute of the model in minutes.
    """

    def __init__(self, chance: Random, scale: int) -> None:
        self.slots: dict[str, Slot] = {}
        self._chance = chance
        self._scale = scale

    def taken(self, slot: Slot, but: str | None = None) -> bool:
        """Return whether another event overlaps a slot."""
        return any(overlap(slot, other) for other in self._others(but))

    def busy(self, window: Slot) -> list[Slot]:
        """Return the busy intervals of a window, cut to it."""
        return joined(cut(self.slots.values(), window))

    def outside(self, slots: Iterable[Slot]) -> list[Slot]:
        """Return those of some slots that no busy interval contains."""
        busy = joined(self.slots.values())
        return [slot for slot in slots if not any(one <= slot[0] and slot[1] <= two for one, two in busy)]

    def choose(
        self,
        place: str,
        but: str | None = None,
        *,
        start: float | None = None,
        end: float | None = None,
    ) -> Slot:
        """Return a slot in a place relative to other events, or anywhere if there is none in that place.

        Args:
            place: A key of `PLACES`.
            but: The event that the slot is for, if it has one.
            start: The start that the slot must have.
            end: The end that it must have.
        """
        edges = {0.0, LENGTH / 2 * self._scale, *(edge for slot in self.slots.values() for edge in slot)}
        points = sorted(
            {
                point
                for edge in edges
                for distance in _DISTANCES
                for point in (edge - distance * self._scale, edge + distance * self._scale)
                if 0 <= point <= LENGTH * self._scale
            }
            | {point for point in (start, end) if point is not None}
        )
        found = [
            (first, last)
            for first in points
            if start in {None, first}
            for last in points
            if end in {None, last} and 0 < last - first <= _LONGEST * self._scale
        ]
        others = list(self._others(but))
        return self._chance.choice([slot for slot in found if PLACES[place](slot, others)] or found)

    def window(self) -> Slot:
        """Return a window that begins and ends at or near the start or the end of an event."""
        edges = [edge for slot in self.slots.values() for edge in slot]
        near = {edge + distance for edge in edges for distance in (-1 / 60, 0, 1 / 60)}
        points = sorted({0.0, LENGTH * self._scale, *(edge for edge in near if edge > 0)})
        if self._chance.random() < 0.4:  # also windows of a second, and those between two events
            return self._chance.choice(list(pairwise(points)))
        first, last = sorted(self._chance.sample(points, 2))
        return first, last

    def _others(self, but: str | None) -> Iterable[Slot]:
        return (slot for uid, slot in self.slots.items() if uid != but)


def overlap(one: Slot, other: Slot) -> bool:
    """Return whether two slots overlap."""
    return one[0] < other[1] and other[0] < one[1]


def _overlapped(slot: Slot, others: Collection[Slot]) -> list[Slot]:
    return [other for other in others if overlap(slot, other)]


def _touched(slot: Slot, others: Collection[Slot]) -> tuple[bool, bool]:
    """Return whether an event ends at the start of a slot, and whether one starts at its end, if none overlaps it."""
    if _overlapped(slot, others):
        return False, False
    return any(other[1] == slot[0] for other in others), any(other[0] == slot[1] for other in others)


PLACES: Final[Mapping[str, Callable[[Slot, Collection[Slot]], bool]]] = {
    "apart": lambda slot, others: not _overlapped(slot, others) and not any(_touched(slot, others)),
    "after one": lambda slot, others: _touched(slot, others)[0],
    "before one": lambda slot, others: _touched(slot, others)[1],
    "over the start of one": lambda slot, others: any(slot[0] < one < slot[1] < two for one, two in others),
    "over the end of one": lambda slot, others: any(one < slot[0] < two < slot[1] for one, two in others),
    "within one": lambda slot, others: any(one < slot[0] and slot[1] < two for one, two in others),
    "around one": lambda slot, others: any(slot[0] < one and two < slot[1] for one, two in others),
    "the same as one": lambda slot, others: slot in others,
}
"""Places of a slot relative to those of other events, after Allen's relations."""


def cut(slots: Iterable[Slot], window: Slot) -> list[Slot]:
    """Return the parts of slots that are in a window."""
    return [(max(start, window[0]), min(end, window[1])) for start, end in slots if overlap((start, end), window)]


def times(bookings: Bookings, chance: Random, style: str, **minutes: float) -> dict[str, Any]:
    """Return `start`, `end` or both as timestamps, and `timeZone` if the style has one.

    Args:
        bookings: The bookings whose stretch the times are in.
        chance: The source of all choices.
        style: `utc`, `milliseconds`, `offset`, `local`, or `offset in a zone`, which is an offset beside another time zone.
        minutes: Times by member of the body.
    """
    zone = chance.choice(_ZONES)
    match style:
        case "utc":
            return {name: bookings.at(minute) for name, minute in minutes.items()}
        case "milliseconds":
            return {name: bookings.at(minute).replace("Z", ".000Z") for name, minute in minutes.items()}
        case "local":
            return {name: bookings.local(minute, ZoneInfo(zone)) for name, minute in minutes.items()} | {
                "timeZone": zone
            }
        case _:
            found = {name: bookings.with_offset(minute, chance.choice(_OFFSETS)) for name, minute in minutes.items()}
            return found if style == "offset" else {**found, "timeZone": zone}
