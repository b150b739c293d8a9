"""The page: what is in the worlds, what came, and what became of it. It changes nothing, whoever looks."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any
from urllib.parse import quote

from project_platform_stub.admin.api.journal import FILTERS, Filter
from project_platform_stub.admin.request import Asked
from project_platform_stub.contract import load_contract
from project_platform_stub.faults.file import FAULTS
from project_platform_stub.faults.plans import ANY, TOKEN
from project_platform_stub.http.errors import RefusalError, not_found
from project_platform_stub.http.messages import Response
from project_platform_stub.world.journal import Entry

STRAYS = "/_stub/strays"
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


def worlds(asked: Asked) -> Response:
    """Show all worlds."""
    return _shown(asked, "worlds.html", worlds=list(asked.service.worlds), roots=root)


def world(asked: Asked) -> Response:
    """Show a world: its clock, snapshots, projects, and tokens to use."""
    world = asked.world
    tokens = {identity.key: world.token(identity.key) for identity in world.identities.values()}
    return _of_world(asked, "world.html", "world", tokens=tokens, base_url=asked.base_url)


def journal(asked: Asked) -> Response:
    """Show the requests of a world, newest first."""
    return _of_world(asked, "journal.html", "journal", **_listed(asked, asked.world.journal))


def strays(asked: Asked) -> Response:
    """Show the requests that belong to no world, newest first."""
    return _shown(asked, "journal.html", root=STRAYS, tab="strays", **_listed(asked, asked.service.strays))


def entry(asked: Asked) -> Response:
    """Show one request of a world."""
    return _of_world(asked, "entry.html", "journal", entry=find_entry(asked, asked.world.journal))


def stray(asked: Asked) -> Response:
    """Show one request that belongs to no world."""
    return _shown(asked, "entry.html", root=STRAYS, tab="strays", entry=find_entry(asked, asked.service.strays))


def outbox(asked: Asked) -> Response:
    """Show the mails that were sent in a world, newest first."""
    return _of_world(asked, "outbox.html", "outbox", mails=asked.world.outbox[::-1])


def faults(asked: Asked) -> Response:
    """Show what is planned to go wrong in a world, and what came of it."""
    operations = [ANY, *load_contract().operations, TOKEN]
    plans = asked.world.faults
    return _of_world(asked, "faults.html", "faults", plans=plans, operations=operations, kinds=FAULTS)


def style(asked: Asked) -> Response:
    """Return the style sheet."""
    from .rendering import asset

    return asset("style.css", "text/css; charset=utf-8")


def icon(asked: Asked) -> Response:
    """Return the icon."""
    from .rendering import asset

    return asset("icon.svg", "image/svg+xml")


def refused(asked: Asked, refusal: RefusalError) -> Response:
    """Tell somebody at a browser why a request was refused."""
    from .rendering import render

    return render("refused.html", refusal.status, tab="", note=None, refusal=refusal)


def root(id: str) -> str:
    """Return the path of a world's pages."""
    return f"/_stub/page/{quote(id, safe='')}"


def find_entry(asked: Asked, entries: Iterable[Entry]) -> Entry:
    """Return the entry that the path names, or refuse it with a 404."""
    for entry in entries:
        if str(entry.number) == asked.path["number"]:
            return entry
    raise not_found("There is no such entry, or no longer: the journal keeps the latest.", "no_such_entry")


def _of_world(asked: Asked, template: str, tab: str, **context: Any) -> Response:
    world = asked.world
    return _shown(
        asked, template, world=world, root=root(world.id), tab=tab, quote=lambda text: quote(text, ""), **context
    )


def _shown(asked: Asked, template: str, **context: Any) -> Response:
    # Jinja2 takes longer to import than the whole server to start, and most servers show no page.
    from .rendering import render

    note = asked.query((*FILTERS, "note")).get("note", "")
    return render(template, **{"tab": "worlds", "note": _NOTES.get(note), **context})


def _listed(asked: Asked, journal: Iterable[Entry]) -> dict[str, Any]:
    query = asked.query((*FILTERS, "note"))
    wanted, entries = Filter.of(query), list(journal)
    chosen = wanted.chosen(entries)
    return {
        "wanted": wanted,
        "entries": chosen[: -_SHOWN - 1 : -1],
        "found": len(chosen),
        "total": len(entries),
        "operations": sorted({entry.operation for entry in entries if entry.operation}),
        "identities": sorted({entry.identity for entry in entries if entry.identity}),
    }
