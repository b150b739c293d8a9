"""The read-only pages of a project: its records, events, posts and so on, as the stub server stores them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final
from urllib.parse import quote

from project_platform_stub.admin.request import AdminRequest, page_headers
from project_platform_stub.http.errors import not_found
from project_platform_stub.http.messages import Response, write_json
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.operations import Call
from project_platform_stub.operations.labels import export
from project_platform_stub.operations.posts import publish_if_due
from project_platform_stub.world.domain import Identity, Json
from project_platform_stub.world.store import TABLES, Project

from .page import render_world, root

_MAX_ROWS = 200  # The newest rows, on one page.
# Handlers need a caller, and those that are called here only read.
_NO_CALLER = Identity("", "", "", "user", "")


# The members that the list of a kind of content shows, by the headings of their columns.
KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    "records": {"Type": "typeSlug", "Name": "displayName", "Status": "status", "Changed": "updatedAt"},
    "events": {"Title": "summary", "Start": "start", "End": "end", "Calendar": "calendarId"},
    "posts": {"Network": "platform", "Status": "status", "Text": "caption", "Scheduled for": "scheduledFor"},
    "agents": {"Name": "name", "Access": "access", "Model": "model"},
    "labels": {"Menu item": "name", "Month": "menuMonth", "Approved": "approved"},
    "memory": {"Title": "title", "Changed": "updatedAt"},
    "workflows": {"Name": "name", "Trigger": "triggerEventType"},
    "accounts": {"Network": "platform", "Name": "username"},
    "templates": {"Name": "name"},
}


def rows(request: AdminRequest) -> Response:
    """Show the rows of a kind in a project, newest first."""
    call = _call(request, {})
    found = list(_rows(request, call).items())
    return _render(request, "rows.html", call.project, rows=found[: -_MAX_ROWS - 1 : -1], total=len(found))


def row(request: AdminRequest) -> Response:
    """Show one row of a project as JSON."""
    call, id = _call(request, {}), request.path["row"]
    value = _rows(request, call).get(id)
    if value is None:
        raise not_found(f"The project has nothing with the identifier {id!r} here.", "no_such_row")
    relations: Any = call.project.relations.get(id) if request.path["kind"] == "records" else None
    written = {"value": write_json(value), "relations": write_json(relations) if relations else None}
    return _render(request, "row.html", call.project, id=id, **written)


def _rows(request: AdminRequest, call: Call) -> dict[str, Json]:
    """Return the rows of the kind in the path as JSON, by identifier; a scheduled post is published once it is due."""
    kind = request.path["kind"]
    if kind not in KINDS:
        raise not_found(f"There is no page {kind!r}; there are {', '.join(KINDS)}.", "no_such_page")
    table = "menu_items" if kind == "labels" else kind
    rows = {id: TABLES[table].encode(value) for id, value in getattr(call.project, table).items()}
    return {id: publish_if_due(call, post) for id, post in rows.items()} if kind == "posts" else rows


def labels(request: AdminRequest) -> Response:
    """Return the labels of all menu items as a PDF, also of those that are not approved."""
    content = export(_call(request, {"includeUnapproved": True})).value
    return Response(200, page_headers("application/pdf"), content if isinstance(content, bytes) else b"")


def _call(request: AdminRequest, body: Json) -> Call:
    """Return a call that reads the project of the path."""
    world = request.world.read_only()
    project = world.projects.get(request.path["project"])
    if project is None:
        raise not_found(f"This world has no project {request.path['project']!r}.", "no_such_project")
    now = request.world.clock.now()
    return Call(world, project, _NO_CALLER, now, wire_time(now), {}, {}, {}, body, request.service.profile)


def _render(request: AdminRequest, template: str, project: Project, **context: Any) -> Response:
    base = f"{root(request.path['world'])}/projects/{quote(project.id, safe='')}"
    shown = {"project": project, "base": base, "kind": request.path["kind"], "kinds": KINDS}
    return render_world(request, template, "world", **shown, **context)
