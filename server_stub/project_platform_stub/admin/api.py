"""The JSON routes under `/_stub/`: worlds with their snapshots, clock, tokens and keys, planned faults, journals and outboxes."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import asdict
from datetime import datetime, timedelta
from typing import Literal

from pydantic.alias_generators import to_camel

from project_platform_stub.describe import describe
from project_platform_stub.documents.document import Document, plain
from project_platform_stub.faults.file import read_faults
from project_platform_stub.faults.plans import Attempt, FaultPlans
from project_platform_stub.http.errors import bad_request, conflict, not_found
from project_platform_stub.http.timestamps import read_time, wire_time
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.domain import Json
from project_platform_stub.world.journal import Entry
from project_platform_stub.world.store import Origin
from project_platform_stub.world.world import World
from project_platform_stub.world_file import read_world, world_origin

from .request import AdminRequest

_STATUS = re.compile(r"[1-5](\d\d|xx)", re.ASCII)

FILTERS = ("operation", "status", "identity", "q", "near")
# Years within which tokens, calendars and HTTP dates do not overflow.
_FIRST, _LAST = 1970, 9000
_PLACES = {"role": "role", "service_account": "kind"}  # Place of a lookup error by kind; `identity` for the others.


def list_worlds(request: AdminRequest) -> Json:
    """Return a summary of each world."""
    request.query(())
    return {"worlds": [summary(world) for world in request.service.worlds]}


def create_world(request: AdminRequest) -> Json:
    """Create a world, and return its description."""
    body = request.json("world")
    id, seed, worlds = body.get("id"), int(body.get("seed", 0)), request.service.worlds
    at = _read_moment(body["at"], "body.at") if "at" in body else None
    if id is not None and worlds.get(id) is not None:
        raise conflict(f"body.id: a world {id!r} already exists", "world_exists")
    origin = _origin(request, body, seed, at)
    try:
        world = worlds.create(id, origin=origin, seed=seed, at=at)
    except ValueError as error:
        raise conflict(str(error), "world_refused") from None
    return describe(world, request.base_url)


def delete_world(request: AdminRequest) -> Json:
    """Delete a world."""
    world = request.world
    request.service.worlds.delete(world.id)
    return {"deleted": world.id}


def reset_world(request: AdminRequest) -> Json:
    """Reset a world to its initial state."""
    request.json("nothing")
    request.world.reset()
    return summary(request.world)


def take_snapshot(request: AdminRequest) -> Json:
    """Save the content of a world as a snapshot, with the name in the body or a new one."""
    name = request.json("snapshot").get("name")
    return {"name": request.world.snapshot(name)}


def restore_snapshot(request: AdminRequest) -> Json:
    """Restore a snapshot."""
    request.json("nothing")
    name = _snapshot(request)
    request.world.restore(name)
    return {"name": name}


def discard_snapshot(request: AdminRequest) -> Json:
    """Delete a snapshot."""
    name = _snapshot(request)
    request.world.discard(name)
    return {"discarded": name}


def _snapshot(request: AdminRequest) -> str:
    """Return the name of the snapshot in the path, or raise a 404 if there is none of this name."""
    name, known = request.path["snapshot"], request.world.snapshots
    if name not in known:
        message = f"This world has no snapshot {name!r}; it has: {', '.join(known) or 'none'}"
        raise not_found(message, "no_such_snapshot")
    return name


def summary(world: World) -> Json:
    """Return a summary of a world as JSON."""
    return {
        "id": world.id,
        "origin": world.origin.name,
        "seed": world.seed,
        "now": wire_time(world.clock.now()),
        "frozen": world.clock.frozen,
        "projects": len(world.projects),
        "requests": len(world.journal),
        "faultsLeft": len(world.faults.left),
        "snapshots": world.snapshots,
    }


def _origin(request: AdminRequest, body: Json, seed: int, at: datetime | None) -> Origin | None:
    """Return the initial state of a new world; None for the demo world."""
    if "copyOf" in body:
        source = request.service.worlds.get(body["copyOf"])
        if source is None:
            raise bad_request("body.copyOf", f"there is no world {body['copyOf']!r} on this server")
        # States are immutable, so two worlds can share one.
        return Origin(source.origin.name, source.seed, source.state)
    if "world" not in body:
        return None
    return world_origin(read_world(Document("body.world", body["world"]), "inline"), at or Clock().now(), seed)


def move_clock(request: AdminRequest) -> Json:
    """Set, advance, freeze or run a world's clock."""
    body, clock = request.json("clock"), request.world.clock
    match body:
        case {"set": text}:
            clock.set(_read_moment(text, "body.set"))
        case {"advance": seconds}:
            clock.set(_check_year(clock.now() + timedelta(seconds=float(seconds)), "body.advance"))
        case {"freeze": True}:
            clock.freeze()
        case {"freeze": text}:
            clock.freeze(_read_moment(text, "body.freeze"))
        case _:
            clock.run()
    return clock_json(clock)


def clock_json(clock: Clock) -> Json:
    """Return the time of a clock, and whether it is frozen."""
    return {"now": wire_time(clock.now()), "frozen": clock.frozen}


def _read_moment(text: str, place: str) -> datetime:
    """Return the moment of an ISO 8601 timestamp, in UTC if it has no offset, or raise a 400."""
    return _check_year(read_time(text, None, place), place)


def _check_year(moment: datetime, place: str) -> datetime:
    if not _FIRST <= moment.year <= _LAST:
        raise bad_request(place, f"must be in the years {_FIRST} to {_LAST}")
    return moment


def issue_token(request: AdminRequest) -> Json:
    """Return a new token of the kind in the body."""
    body = request.json("token")
    # Without Decimals, which the JWT library cannot encode.
    arguments: Json = {name: plain(value) for name, value in body.items() if name != "kind"}
    try:
        # The kinds of the schema are the names of methods.
        issue = getattr(request.world.tokens, "sign" if body["kind"] == "claims" else body["kind"])
        token: str = issue(**arguments)
    except LookupError as error:
        raise bad_request(f"body.{_PLACES.get(body['kind'], 'identity')}", str(error.args[0])) from None
    return {"token": token}


def change_keys(action: Literal["rotate", "publish", "retire"], request: AdminRequest) -> Json:
    """Sign with a new key from now on, publish the signing key, or refuse the tokens of all other keys."""
    getattr(request.world.tokens, action)(**request.json("rotate" if action == "rotate" else "nothing"))
    return _keys(request.world)


def _keys(world: World) -> Json:
    published = {key["kid"] for key in world.tokens.key_set()["keys"]}
    accepted = world.tokens.accepted
    return {"signing": world.tokens.signing, "accepted": sorted(accepted), "published": sorted(published & accepted)}


def plan_faults(request: AdminRequest) -> Json:
    """Plan faults for the next requests of operations."""
    faults = request.world.faults
    for operation, planned in read_faults(request.any_json(), "body"):
        faults.plan(operation, planned)
    return report(faults)


def clear_faults(request: AdminRequest) -> Json:
    """Delete the planned faults, and drop the requests that are still to be carried out late."""
    request.world.faults.clear()
    return report(request.world.faults)


def land_faults(request: AdminRequest) -> Json:
    """Carry out now the requests that are still to be carried out late."""
    request.json("nothing")
    return {"landed": request.world.faults.land()}


def report(faults: FaultPlans) -> Json:
    """Return the planned faults and the attempts."""
    return {
        "left": [{"operation": operation, "fault": str(fault)} for operation, fault in faults.left],
        "pending": faults.pending,
        "attempts": [_attempt(attempt) for attempt in faults.attempts()],
    }


def _attempt(attempt: Attempt) -> Json:
    entry = attempt.entry
    return {
        "number": entry.number,
        "at": wire_time(entry.at),
        "operation": entry.operation,
        "got": attempt.got,
        "retryAfter": entry.retry_after,
        "waited": attempt.waited,
        "honoured": attempt.honoured,
    }


def matching(query: Mapping[str, str], entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that match a query, or raise a 400.

    Its parameters are `FILTERS`: `status` may be a class of statuses such as `4xx`; `q` is a text that the path, body,
    message, fault or a hint contains, ignoring case; `near` is 1 for only likely mistakes. An empty one matches all entries.
    """
    operation, status, identity, text, near = (query.get(name, "") for name in FILTERS)
    if status and not _STATUS.fullmatch(status):
        raise bad_request("query.status", "must be a status such as 409, or a class such as 4xx")
    if near not in {"", "0", "1"}:
        raise bad_request("query.near", "must be 0 or 1")
    return [
        entry
        for entry in entries
        if operation in {"", entry.operation}
        and identity in {"", entry.identity}
        and str(entry.status or "").startswith(status.rstrip("x"))
        and (near != "1" or entry.near_miss)
        and text.casefold() in _text(entry).casefold()
    ]


def show_journal(request: AdminRequest) -> Json:
    """Return the requests of a world, or those that belong to no world, oldest first."""
    return {"entries": list(map(_entry, matching(request.query(FILTERS), request.journal)))}


def clear_journal(request: AdminRequest) -> Json:
    """Delete the journal entries of a world, or of the requests that belong to no world."""
    request.journal.clear()
    return {"entries": []}


def show_outbox(request: AdminRequest) -> Json:
    """Return the mails to attendees in a world, oldest first."""
    return {"mails": [_in_camel_case(asdict(mail)) for mail in request.world.outbox]}


def clear_outbox(request: AdminRequest) -> Json:
    """Delete the mails to attendees in a world."""
    request.world.outbox.clear()
    return {"mails": []}


def _entry(entry: Entry) -> Json:
    members = {name: value for name, value in entry._asdict().items() if name != "monotonic"}
    derived = {"at": wire_time(entry.at), "verdict": entry.verdict, "near_miss": entry.near_miss}
    return _in_camel_case({**members, **derived, **_body(entry.body)})


def _in_camel_case(members: Json) -> Json:
    return {to_camel(name): value for name, value in members.items()}


def _body(body: bytes | None) -> Json:
    """Return a body as text, or in Base64 if it is not UTF-8; null if it was too long for the journal."""
    try:
        return {"body": None if body is None else body.decode()}
    except UnicodeDecodeError:
        return {"body": None, "body_base64": b64encode(body or b"").decode()}


def _text(entry: Entry) -> str:
    body = (entry.body or b"").decode("utf-8", "replace")
    return "\n".join(
        [entry.method, entry.path, entry.verdict, entry.fault or "", entry.message or "", *entry.hints, body]
    )
