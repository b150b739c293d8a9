"""Routes that show and move the clock of a world."""

from __future__ import annotations

from datetime import datetime, timedelta

from project_platform_stub.admin.request import AdminRequest, private_json
from project_platform_stub.http.errors import bad_request
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import read_time, wire_time
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.domain import Json

# Years within which tokens, calendars and HTTP dates do not overflow.
_FIRST, _LAST = 1970, 9000


def show_clock(request: AdminRequest) -> Response:
    """Return the time in a world."""
    return private_json(_clock_json(request.world.clock))


def move_clock(request: AdminRequest) -> Response:
    """Set, advance, freeze or run a world's clock."""
    body, clock = request.json("clock"), request.world.clock
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
    return private_json(_clock_json(clock))


def _clock_json(clock: Clock) -> Json:
    return {"now": wire_time(clock.now()), "frozen": clock.frozen}


def advance(clock: Clock, seconds: float, place: str) -> None:
    """Move a clock forward, or raise a 400 if it would leave the supported years."""
    try:
        moment = clock.now() + timedelta(seconds=seconds)
    except OverflowError:
        raise bad_request(place, "is out of range") from None
    _check_year(moment, place)
    clock.advance(seconds)


def read_moment(text: str, place: str) -> datetime:
    """Return the moment of an ISO 8601 timestamp, in UTC if it has no offset, or raise a 400."""
    return _check_year(read_time(text, None, place), place)


def _check_year(moment: datetime, place: str) -> datetime:
    if not _FIRST <= moment.year <= _LAST:
        raise bad_request(place, f"must be in the years {_FIRST} to {_LAST}")
    return moment
