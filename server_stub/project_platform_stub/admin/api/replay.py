"""Sending a request of a journal once more."""

from __future__ import annotations

from typing import TYPE_CHECKING

from project_platform_stub.faults.plans import TOKEN
from project_platform_stub.http.errors import conflict
from project_platform_stub.http.messages import Request
from project_platform_stub.world.journal import Entry
from project_platform_stub.world.world import World

if TYPE_CHECKING:
    from project_platform_stub.dispatch.service import Service


def replay(service: Service, world: World | None, entry: Entry) -> tuple[World | None, Entry] | None:
    """Send the request of an entry again, as the same identity with a token of its own.

    Args:
        service: The service.
        world: The world whose journal the entry is in, if it is in that of a world.
        entry: The entry.

    Returns:
        The new entry and the world whose journal it is in; None if others have taken its place there.
    """
    if entry.body is None:
        raise conflict(
            f"The body had {entry.size} bytes and was not kept: the request cannot be sent again.", "no_body"
        )
    headers = {"content-type": entry.content_type} if entry.content_type else {}
    if world is not None and entry.identity is not None:
        headers["authorization"] = f"Bearer {_credential(world, entry)}"
    raw_path, _, query = entry.path.encode("latin-1").partition(b"?")
    response = service.handle(Request(entry.method, raw_path, query, headers, entry.body))
    # With a key set that is stale even a token of our own is refused, and the request belongs to no world.
    places = [(world, world.journal)] if world is not None else []
    for place, journal in [*places, (None, service.strays)]:
        for made in journal:
            if made.request_id == response.headers["X-Request-Id"]:
                return place, made
    return None


def _credential(world: World, entry: Entry) -> str:
    try:
        issue = world.tokens.session if entry.operation == TOKEN else world.tokens.valid
        return issue(entry.identity or "")
    except LookupError as error:
        raise conflict(str(error.args[0]), "no_such_identity") from None
