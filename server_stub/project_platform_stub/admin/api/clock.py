"""Routes that tell and move a world's clock."""

from __future__ import annotations

from datetime import datetime, timedelta

from project_platform_stub.admin.request import Asked, answer
from project_platform_stub.http.errors import bad_request
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import read_time, wire_time
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.domain import Json

# Years that tokens, calendars and HTTP dates can still be reckoned with from.
_FIRST, _LAST = 1970, 9000


def show_clock(asked: Asked) -> Response:
    """Answer with the time in a world."""
    return answer(told(asked.world.clock))


def move_clock(asked: Asked) -> Response:
    """Set, advance, freeze or run a world's clock."""
    body, clock = asked.json("clock"), asked.world.clock
    match body:
        case {"set": text}:
            clock.set(read_moment(text, "body.set"))
        case {"advance": seconds}:
            advance(clock, float(seconds), "body.advance")
        case {"freeze": True}:
            clock.freeze()
        case {"freeze": text}:
            clock.freeze(read_moment(text, "body.freeze"))
        case _:
            clock.run()
    return answer(told(clock))


def told(clock: Clock) -> Json:
    """Return what a clock shows."""
    return {"now": wire_time(clock.now()), "frozen": clock.frozen}


def advance(clock: Clock, seconds: float, place: str) -> None:
    """Move a clock on, or refuse it with a 400 if it would leave the years that it knows."""
    try:
        moment = clock.now() + timedelta(seconds=seconds)
    except OverflowError:
        raise bad_request(place, "is out of range") from None
    _within(moment, place)
    clock.advance(seconds)


def read_moment(text: str, place: str) -> datetime:
    """Return the moment that a text names, in UTC unless it says otherwise, or refuse it with a 400."""
    return _within(read_time(text, None, place), place)


def _within(moment: datetime, place: str) -> datetime:
    if not _FIRST <= moment.year <= _LAST:
        raise bad_request(place, f"must be from the year {_FIRST} to {_LAST}")
    return moment
