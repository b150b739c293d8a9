"""Routes that create, list, reset and delete worlds and their snapshots."""

from __future__ import annotations

from datetime import datetime

from project_platform_stub.admin.request import AdminRequest, bad_document, private_json
from project_platform_stub.describe import describe
from project_platform_stub.documents.document import Document, DocumentError
from project_platform_stub.http.errors import bad_request, conflict, not_found
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.world.clock import Clock
from project_platform_stub.world.domain import Json
from project_platform_stub.world.store import Origin
from project_platform_stub.world.world import World
from project_platform_stub.world_file import read_world, world_origin

from .clock import read_moment


def list_worlds(request: AdminRequest) -> Response:
    """Return a summary of each world."""
    request.query(())
    return private_json({"worlds": [summary(world) for world in request.service.worlds]})


def create_world(request: AdminRequest) -> Response:
    """Create a world, and return its description."""
    body = request.json("world")
    id, seed, worlds = body.get("id"), int(body.get("seed", 0)), request.service.worlds
    at = read_moment(body["at"], "body.at") if "at" in body else None
    if id is not None and worlds.get(id) is not None:
        raise conflict(f"body.id: a world {id!r} already exists", "world_exists")
    try:
        world = worlds.create(id, origin=_origin(request, body, seed, at), seed=seed, at=at)
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
    try:
        request.world.restore(request.path["snapshot"])
    except LookupError as error:
        raise not_found(str(error.args[0]), "no_such_snapshot") from None
    return private_json({"name": request.path["snapshot"]})


def discard_snapshot(request: AdminRequest) -> Response:
    """Delete a snapshot."""
    world, name = request.world, request.path["snapshot"]
    if name not in world.snapshots:
        raise not_found(f"This world has no snapshot {name!r}.", "no_such_snapshot")
    world.discard(name)
    return private_json({"discarded": name})


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
    try:
        description = read_world(Document("body.world", body["world"]), "inline")
    except DocumentError as error:
        raise bad_document(error) from None
    return world_origin(description, at or Clock().now(), seed)
