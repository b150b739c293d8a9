"""The page: what is in the worlds, what came, and what became of it. It changes nothing, whoever looks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from project_platform_stub.admin.api.journal import FILTERS, Filter
from project_platform_stub.admin.request import AdminRequest
from project_platform_stub.contract import load_contract
from project_platform_stub.faults.file import FAULTS
from project_platform_stub.faults.plans import ANY, TOKEN
from project_platform_stub.http.errors import ApiError, not_found
from project_platform_stub.http.messages import Response
from project_platform_stub.world.journal import Entry

UNMATCHED_REQUESTS = "/_stub/unmatched-requests"
_SHOWN = 200  # Entries on a page, the newest; the filter finds the others.

# What was done, as the page says it where a form leads to; a link can name no other text.
_NOTES = {
    "created": "The world is made.",
    "deleted": "The world is deleted.",
    "reset": "The world is again what it was in the beginning.",
    "clock": "The clock is moved.",
    "snapshot": "The snapshot is taken.",
    "restored": "The world is back at the snapshot.",
    "discarded": "The snapshot is forgotten.",
    "cleared": "Cleared.",
    "planned": "The fault is planned.",
    "landed": "What was still to be carried out is carried out.",
    "replayed": "This is the request that was sent again.",
}


def worlds(request: AdminRequest) -> Response:
    """Show all worlds."""
    return _shown(request, "worlds.html", worlds=list(request.service.worlds), roots=root)


def world(request: AdminRequest) -> Response:
    """Show a world: its clock, snapshots, projects, and tokens to use."""
    world = request.world
    tokens = {identity.key: world.token(identity.key) for identity in world.identities.values()}
    return _of_world(request, "world.html", "world", tokens=tokens, base_url=request.base_url)


def journal(request: AdminRequest) -> Response:
    """Show the requests of a world, newest first."""
    return _of_world(request, "journal.html", "journal", **_listed(request, request.world.journal))


def unmatched_requests(request: AdminRequest) -> Response:
    """Show the requests that belong to no world, newest first."""
    return _shown(
        request,
        "journal.html",
        root=UNMATCHED_REQUESTS,
        tab="unmatched-requests",
        **_listed(request, request.service.unmatched_requests),
    )


def entry(request: AdminRequest) -> Response:
    """Show one request of a world."""
    return _of_world(request, "entry.html", "journal", entry=find_entry(request, request.world.journal))


def unmatched_request(request: AdminRequest) -> Response:
    """Show one request that belongs to no world."""
    return _shown(
        request,
        "entry.html",
        root=UNMATCHED_REQUESTS,
        tab="unmatched-requests",
        entry=find_entry(request, request.service.unmatched_requests),
    )


def outbox(request: AdminRequest) -> Response:
    """Show the mails that were sent in a world, newest first."""
    return _of_world(request, "outbox.html", "outbox", mails=request.world.outbox[::-1])


def faults(request: AdminRequest) -> Response:
    """Show what is planned to go wrong in a world, and what came of it."""
    operations = [ANY, *load_contract().operations, TOKEN]
    plans = request.world.faults
    return _of_world(request, "faults.html", "faults", plans=plans, operations=operations, kinds=FAULTS)


def style(request: AdminRequest) -> Response:
    """Return the style sheet."""
    from .rendering import asset

    return asset("style.css", "text/css; charset=utf-8")


def icon(request: AdminRequest) -> Response:
    """Return the icon."""
    from .rendering import asset

    return asset("icon.svg", "image/svg+xml")


def refused(request: AdminRequest, refusal: ApiError) -> Response:
    """Tell somebody at a browser why a request was refused."""
    from .rendering import render

    return render("refused.html", refusal.status, tab="", note=None, refusal=refusal)


def root(id: str) -> str:
    """Return the path of a world's pages."""
    return f"/_stub/page/{quote(id, safe='')}"


def find_entry(request: AdminRequest, entries: Iterable[Entry]) -> Entry:
    """Return the entry that the path names, or refuse it with a 404."""
    for entry in entries:
        if str(entry.number) == request.path["number"]:
            return entry
    raise not_found("There is no such entry, or no longer: the journal keeps the latest.", "no_such_entry")


def _of_world(request: AdminRequest, template: str, tab: str, **context: Any) -> Response:
    world = request.world
    return _shown(
        request, template, world=world, root=root(world.id), tab=tab, quote=lambda text: quote(text, ""), **context
    )


def _shown(request: AdminRequest, template: str, **context: Any) -> Response:
    # Jinja2 takes longer to import than the whole server to start, and most servers show no page.
    from .rendering import render

    note = request.query((*FILTERS, "note")).get("note", "")
    return render(template, **{"tab": "worlds", "note": _NOTES.get(note), **context})


def _listed(request: AdminRequest, journal: Iterable[Entry]) -> dict[str, Any]:
    query = request.query((*FILTERS, "note"))
    wanted, entries = Filter.of(query), list(journal)
    chosen = wanted.apply(entries)
    return {
        "wanted": wanted,
        "entries": chosen[: -_SHOWN - 1 : -1],
        "found": len(chosen),
        "total": len(entries),
        "operations": sorted({entry.operation for entry in entries if entry.operation}),
        "identities": sorted({entry.identity for entry in entries if entry.identity}),
    }
