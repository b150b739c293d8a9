"""What the forms of the page do. Each leads back to a page, so that a reload does nothing twice."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping
from decimal import Decimal
from typing import Any

from project_platform_stub.admin.api.clock import advance, read_moment
from project_platform_stub.admin.api.replay import replay as send_again
from project_platform_stub.admin.request import Asked, bad_document
from project_platform_stub.documents.document import DocumentError
from project_platform_stub.faults.file import read_faults
from project_platform_stub.http.errors import bad_request, conflict, not_found
from project_platform_stub.http.messages import Response
from project_platform_stub.http.routing import decoded_query
from project_platform_stub.world.domain import Json

from .page import STRAYS, find_entry, root

_UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_NUMBERS = frozenset({"status", "retryAfter", "seconds", "hangs", "after", "times"})
_NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,9})?", re.ASCII)


def create_world(asked: Asked) -> Response:
    """Make a demo world."""
    fields = _fields(asked, ("id", "seed"))
    seed = _number(fields.get("seed", "0"), "seed")
    if int(seed) != seed:
        raise bad_request("seed", "must be a whole number")
    try:
        world = asked.service.worlds.create(fields.get("id"), seed=int(seed))
    except ValueError as error:
        raise conflict(str(error), "world_refused") from None
    return _on(root(world), "created")


def delete_world(asked: Asked) -> Response:
    """Delete a world."""
    asked.service.worlds.delete(asked.world.id)
    return _on("/_stub/", "deleted")


def reset_world(asked: Asked) -> Response:
    """Make a world again what it was in the beginning."""
    asked.world.reset()
    return _on(root(asked.world), "reset")


def move_clock(asked: Asked) -> Response:
    """Advance, set, freeze or run a world's clock, as the button says that was pressed."""
    clock = asked.world.clock
    match _fields(asked, ("do", "amount", "unit", "moment")):
        case {"do": "advance", "amount": amount, "unit": unit} if unit in _UNITS:
            advance(clock, float(_number(amount, "amount")) * _UNITS[unit], "amount")
        case {"do": "set", "moment": moment}:
            clock.set(read_moment(moment, "moment"))
        case {"do": "freeze"}:
            clock.freeze()
        case {"do": "run"}:
            clock.run()
        case _:
            raise bad_request("clock", "must be advanced by an amount, set to a moment, frozen or run")
    return _on(root(asked.world), "clock")


def take_snapshot(asked: Asked) -> Response:
    """Keep what is in a world now."""
    asked.world.snapshot(_fields(asked, ("name",)).get("name"))
    return _on(root(asked.world), "snapshot")


def restore_snapshot(asked: Asked) -> Response:
    """Go back to a snapshot."""
    try:
        asked.world.restore(asked.path["snapshot"])
    except LookupError as error:
        raise not_found(str(error.args[0]), "no_such_snapshot") from None
    return _on(root(asked.world), "restored")


def discard_snapshot(asked: Asked) -> Response:
    """Forget a snapshot."""
    asked.world.discard(asked.path["snapshot"])
    return _on(root(asked.world), "discarded")


def clear_journal(asked: Asked) -> Response:
    """Forget the requests of a world."""
    asked.world.journal.clear()
    return _on(f"{root(asked.world)}/journal", "cleared")


def clear_strays(asked: Asked) -> Response:
    """Forget the requests that belong to no world."""
    asked.service.strays.clear()
    return _on(STRAYS, "cleared")


def clear_outbox(asked: Asked) -> Response:
    """Forget the mails that were sent in a world."""
    asked.world.outbox.clear()
    return _on(f"{root(asked.world)}/outbox", "cleared")


def plan_fault(asked: Asked) -> Response:
    """Plan what the next requests of an operation meet."""
    names = ("operation", "fault", "contentType", "message", "retryAfterForm", "applied", *_NUMBERS)
    fields = _fields(asked, names)
    fault: Json = {name: _value(name, text) for name, text in fields.items() if name != "operation"}
    if fault.get("fault") == "status":
        fault.setdefault("status", 503)
    try:
        plans = read_faults({"operation": fields.get("operation", ""), "faults": [fault]}, "form")
    except DocumentError as error:
        raise bad_document(error) from None
    for operation, planned in plans:
        asked.world.faults.plan(operation, planned)
    return _on(f"{root(asked.world)}/faults", "planned")


def clear_faults(asked: Asked) -> Response:
    """Forget what is planned and what is still to land."""
    asked.world.faults.clear()
    return _on(f"{root(asked.world)}/faults", "cleared")


def land_faults(asked: Asked) -> Response:
    """Carry out now what is still to be carried out late."""
    asked.world.faults.land()
    return _on(f"{root(asked.world)}/faults", "landed")


def replay(asked: Asked) -> Response:
    """Send a request of a world again, and show what became of it."""
    return _replayed(send_again(asked.service, asked.world, find_entry(asked, asked.world.journal)), asked)


def replay_stray(asked: Asked) -> Response:
    """Send a request that belongs to no world again, and show what became of it."""
    return _replayed(send_again(asked.service, None, find_entry(asked, asked.service.strays)), asked)


def _replayed(made: Any, asked: Asked) -> Response:
    if made is None:
        raise not_found(
            "The request was sent, but so many others were as well that its entry is gone.", "no_such_entry"
        )
    world, entry = made
    return _on(f"{STRAYS if world is None else f'{root(world)}/journal'}/{entry.number}", "replayed")


def _on(path: str, note: str) -> Response:
    """Lead a browser on to a page (RFC 9110 section 15.4.4)."""
    return Response(303, {"Location": f"{path}?note={note}", "Cache-Control": "no-store"}, b"")


def _fields(asked: Asked, known: Collection[str]) -> Mapping[str, str]:
    """Return the fields of a form that are filled in."""
    fields = decoded_query(asked.request.body)
    for name in fields:
        if name not in known:
            raise bad_request(name, "is not known here")
    return {name: text.strip() for name, text in fields.items() if text.strip()}


def _value(name: str, text: str) -> Any:
    if name == "applied":
        return text == "on"
    return _number(text, name) if name in _NUMBERS else text


def _number(text: str, place: str) -> Decimal:
    if not _NUMBER.fullmatch(text):
        raise bad_request(place, "must be a number")
    return Decimal(text)
