"""Routes that create, change and delete worlds: their content, snapshots, clock, tokens and keys."""

from __future__ import annotations

import json
from datetime import datetime, timedelta

from project_platform_stub.admin.request import AdminRequest, private_json
from project_platform_stub.describe import describe
from project_platform_stub.documents.document import Document
from project_platform_stub.http.errors import bad_request, conflict, not_found
from project_platform_stub.http.messages import Response, write_json
from project_platform_stub.http.timestamps import read_time, wire_time
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.domain import Json
from project_platform_stub.world.store import Origin
from project_platform_stub.world.world import World
from project_platform_stub.world_file import read_world, world_origin

# Years within which tokens, calendars and HTTP dates do not overflow.
_FIRST, _LAST = 1970, 9000
_PLACES = {"role": "role", "service_account": "kind"}  # Place of a lookup error by kind; `identity` for the others.


def list_worlds(request: AdminRequest) -> Response:
    """Return a summary of each world."""
    request.query(())
    return private_json({"worlds": [summary(world) for world in request.service.worlds]})


def create_world(request: AdminRequest) -> Response:
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
    return private_json(describe(world, request.base_url), 201)


def show_world(request: AdminRequest) -> Response:
    """Return the address, credentials and identifiers of a world."""
    return private_json(describe(request.world, request.base_url))


def delete_world(request: AdminRequest) -> Response:
    """Delete a world."""
    world = request.world
    request.service.worlds.delete(world.id)
    return private_json({"deleted": world.id})


def reset_world(request: AdminRequest) -> Response:
    """Reset a world to its initial state."""
    request.json("nothing")
    request.world.reset()
    return private_json(summary(request.world))


def list_snapshots(request: AdminRequest) -> Response:
    """Return the names of a world's snapshots, oldest first."""
    return private_json({"snapshots": request.world.snapshots})


def take_snapshot(request: AdminRequest) -> Response:
    """Save the content of a world as a snapshot, with the name in the body or a new one."""
    name = request.json("snapshot").get("name")
    return private_json({"name": request.world.snapshot(name)}, 201)


def restore_snapshot(request: AdminRequest) -> Response:
    """Restore a snapshot."""
    request.json("nothing")
    name = _snapshot(request)
    request.world.restore(name)
    return private_json({"name": name})


def discard_snapshot(request: AdminRequest) -> Response:
    """Delete a snapshot."""
    name = _snapshot(request)
    request.world.discard(name)
    return private_json({"discarded": name})


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


def show_clock(request: AdminRequest) -> Response:
    """Return the time in a world."""
    return private_json(_clock_json(request.world.clock))


def move_clock(request: AdminRequest) -> Response:
    """Set, advance, freeze or run a world's clock."""
    body, clock = request.json("clock"), request.world.clock
    match body:
        case {"set": text}:
            clock.set(_read_moment(text, "body.set"))
        case {"advance": seconds}:
            clock.set(_moment_after(clock, float(seconds), "body.advance"))
        case {"freeze": True}:
            clock.freeze()
        case {"freeze": text}:
            clock.freeze(_read_moment(text, "body.freeze"))
        case _:
            clock.run()
    return private_json(_clock_json(clock))


def _clock_json(clock: Clock) -> Json:
    return {"now": wire_time(clock.now()), "frozen": clock.frozen}


def _moment_after(clock: Clock, seconds: float, place: str) -> datetime:
    try:
        moment = clock.now() + timedelta(seconds=seconds)
    except OverflowError:
        raise bad_request(place, "is out of range") from None
    return _check_year(moment, place)


def _read_moment(text: str, place: str) -> datetime:
    """Return the moment of an ISO 8601 timestamp, in UTC if it has no offset, or raise a 400."""
    return _check_year(read_time(text, None, place), place)


def _check_year(moment: datetime, place: str) -> datetime:
    if not _FIRST <= moment.year <= _LAST:
        raise bad_request(place, f"must be in the years {_FIRST} to {_LAST}")
    return moment


def issue_token(request: AdminRequest) -> Response:
    """Return a new token of the kind in the body."""
    body = request.json("token")
    arguments: Json = {name: body[name] for name in ("identity", "role") if name in body}
    if "lifetime" in body:
        arguments["lifetime"] = float(body["lifetime"])
    if "claims" in body:
        # Floats in place of Decimals, which the JWT library cannot encode.
        arguments["claims"] = json.loads(write_json(body["claims"]))
    try:
        # The kinds of the schema are the names of methods.
        issue = getattr(request.world.tokens, "sign" if body["kind"] == "claims" else body["kind"])
        token: str = issue(**arguments)
    except LookupError as error:
        raise bad_request(f"body.{_PLACES.get(body['kind'], 'identity')}", str(error.args[0])) from None
    return private_json({"token": token}, 201)


def rotate_keys(request: AdminRequest) -> Response:
    """Sign with a new key from now on."""
    stale = request.json("rotate").get("stale", False)
    request.world.tokens.rotate(stale=stale)
    return private_json(_keys(request.world))


def publish_keys(request: AdminRequest) -> Response:
    """Publish the signing key."""
    request.json("nothing")
    request.world.tokens.publish()
    return private_json(_keys(request.world))


def retire_keys(request: AdminRequest) -> Response:
    """Refuse the tokens of all keys but the signing key."""
    request.json("nothing")
    request.world.tokens.retire()
    return private_json(_keys(request.world))


def _keys(world: World) -> Json:
    published = {key["kid"] for key in world.tokens.key_set()["keys"]}
    accepted = world.tokens.accepted
    return {"signing": world.tokens.signing, "accepted": sorted(accepted), "published": sorted(published & accepted)}
