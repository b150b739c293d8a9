"""The read-only pages: worlds, journals, mails and faults."""

from __future__ import annotations

from typing import Any
from urllib.parse import quote

from project_platform_stub.admin.api import FILTERS, matching
from project_platform_stub.admin.request import AdminRequest
from project_platform_stub.contract import load_contract
from project_platform_stub.faults.file import FAULTS
from project_platform_stub.faults.plans import ANY, TOKEN
from project_platform_stub.http.errors import ApiError, not_found
from project_platform_stub.http.messages import Response
from project_platform_stub.world.journal import Entry

from .rendering import render

UNMATCHED_REQUESTS = "/_stub/unmatched-requests"
_MAX_ENTRIES = 200  # The newest entries, on one page; the filter finds older ones.

# The notes about a submitted form. A URL has only the name of a note, so that a link cannot add text to a page.
_NOTES = {
    "created": "The world was created.",
    "deleted": "The world was deleted.",
    "reset": "The world was reset to its initial state.",
    "clock": "The clock was changed.",
    "snapshot": "The snapshot was taken.",
    "restored": "The world was restored from the snapshot.",
    "discarded": "The snapshot was deleted.",
    "cleared": "Cleared.",
    "planned": "The fault was planned.",
    "landed": "The delayed requests were carried out.",
    "replayed": "This is the request that was sent again.",
}


def worlds(request: AdminRequest) -> Response:
    """Show all worlds."""
    return _render(request, "worlds.html", worlds=list(request.service.worlds), roots=root)


def outbox(request: AdminRequest) -> Response:
    """Show the mails that were sent in a world, newest first."""
    return render_world(request, "outbox.html", "outbox", mails=request.world.outbox[::-1])


def world(request: AdminRequest) -> Response:
    """Show a world: its clock, snapshots, projects, and a new token for each identity."""
    world = request.world
    tokens = {identity.key: world.token(identity.key) for identity in world.identities.values()}
    return render_world(request, "world.html", "world", tokens=tokens, base_url=request.base_url)


def journal(request: AdminRequest) -> Response:
    """Show the requests of a journal, newest first."""
    return _render_journal(request, "journal.html", **_filtered(request))


def entry(request: AdminRequest) -> Response:
    """Show one request of a journal."""
    return _render_journal(request, "entry.html", entry=find_entry(request))


def faults(request: AdminRequest) -> Response:
    """Show the planned faults of a world, and the attempts that met faults."""
    operations = [ANY, *load_contract().operations, TOKEN]
    plans = request.world.faults
    return render_world(request, "faults.html", "faults", plans=plans, operations=operations, kinds=FAULTS)


def refused(request: AdminRequest, refusal: ApiError) -> Response:
    """Return the error of a refused request as a page."""
    return render("refused.html", refusal.status, tab="", note=None, refusal=refusal)


def root(id: str) -> str:
    """Return the path of a world's pages."""
    return f"/_stub/page/{quote(id, safe='')}"


def find_entry(request: AdminRequest) -> Entry:
    """Return the entry that the path names, or refuse it with a 404."""
    for entry in request.journal:
        if str(entry.number) == request.path["number"]:
            return entry
    raise not_found("There is no such entry; the journal has only the latest requests.", "no_such_entry")


def render_world(request: AdminRequest, template: str, tab: str, **context: Any) -> Response:
    """Return a page of the world in the path."""
    world = request.world
    return _render(
        request, template, world=world, root=root(world.id), tab=tab, quote=lambda text: quote(text, ""), **context
    )


def _render_journal(request: AdminRequest, template: str, **context: Any) -> Response:
    if "world" in request.path:
        return render_world(request, template, "journal", **context)
    return _render(request, template, root=UNMATCHED_REQUESTS, tab="unmatched-requests", **context)


def _render(request: AdminRequest, template: str, **context: Any) -> Response:
    note = request.query((*FILTERS, "note")).get("note", "")
    return render(template, **{"tab": "worlds", "note": _NOTES.get(note), **context})


def _filtered(request: AdminRequest) -> dict[str, Any]:
    query, entries = request.query((*FILTERS, "note")), list(request.journal)
    found = matching(query, entries)
    return {
        "criteria": {**dict.fromkeys(FILTERS, ""), **query},
        "entries": found[: -_MAX_ENTRIES - 1 : -1],
        "found": len(found),
        "total": len(entries),
        "operations": sorted({entry.operation for entry in entries if entry.operation}),
        "identities": sorted({entry.identity for entry in entries if entry.identity}),
    }
