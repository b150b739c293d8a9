"""Repeats a request of a journal."""

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
    """Send the request of an entry again, as the same identity with a new token.

    Args:
        service: The service.
        world: The world whose journal has the entry; None for a request that belongs to no world.
        entry: The entry.

    Returns:
        The new entry and the world whose journal has it; None if the journal has dropped it already.
    """
    if entry.body is None:
        message = f"The request cannot be sent again: its body of {entry.size} bytes was too long for the journal."
        raise conflict(message, "no_body")
    headers = {"content-type": entry.content_type} if entry.content_type else {}
    if world is not None and entry.identity is not None:
        headers["authorization"] = f"Bearer {_credential(world, entry)}"
    raw_path, _, query = entry.path.encode("latin-1").partition(b"?")
    response = service.handle(Request(entry.method, raw_path, query, headers, entry.body))
    # With a stale key set a new token is refused as well, and then the request belongs to no world.
    journals = [(world, world.journal)] if world is not None else []
    for journal_world, journal in [*journals, (None, service.unmatched_requests)]:
        for new_entry in journal:
            if new_entry.request_id == response.headers["X-Request-Id"]:
                return journal_world, new_entry
    return None


def _credential(world: World, entry: Entry) -> str:
    try:
        issue = world.tokens.session if entry.operation == TOKEN else world.tokens.valid
        return issue(entry.identity or "")
    except LookupError as error:
        raise conflict(str(error.args[0]), "no_such_identity") from None
