"""The read-only pages of a project: its records, events, posts and so on, as the stub server stores them."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
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


@dataclass(frozen=True, slots=True)
class Kind:
    """A kind of content.

    Attributes:
        columns: Members that the list shows, by the heading of their column.
    """

    title: str
    table: str
    columns: Mapping[str, str]

    def rows(self, call: Call) -> dict[str, Json]:
        """Return the rows of a project as JSON, by identifier; a scheduled post is published once it is due."""
        encode = TABLES[self.table].encode
        rows = {id: encode(value) for id, value in getattr(call.project, self.table).items()}
        return {id: publish_if_due(call, post) for id, post in rows.items()} if self.table == "posts" else rows


KINDS: Final[Mapping[str, Kind]] = {
    "records": Kind(
        "Records",
        "records",
        {"Type": "typeSlug", "Name": "displayName", "Status": "status", "Changed": "updatedAt"},
    ),
    "events": Kind("Events", "events", {"Title": "summary", "Start": "start", "End": "end", "Calendar": "calendarId"}),
    "posts": Kind(
        "Posts",
        "posts",
        {"Network": "platform", "Status": "status", "Text": "caption", "Scheduled for": "scheduledFor"},
    ),
    "agents": Kind("Agents", "agents", {"Name": "name", "Access": "access", "Model": "model"}),
    "labels": Kind("Labels", "menu_items", {"Menu item": "name", "Month": "menuMonth", "Approved": "approved"}),
    "memory": Kind("Memory", "memory", {"Title": "title", "Changed": "updatedAt"}),
    "workflows": Kind("Workflows", "workflows", {"Name": "name", "Trigger": "triggerEventType"}),
    "accounts": Kind("Accounts", "accounts", {"Network": "platform", "Name": "username"}),
    "templates": Kind("Templates", "templates", {"Name": "name"}),
}


def rows(request: AdminRequest) -> Response:
    """Show the rows of a kind in a project, newest first."""
    call, kind = _call(request, {}), _kind(request)
    found = list(kind.rows(call).items())
    return _render(request, "rows.html", call.project, rows=found[: -_MAX_ROWS - 1 : -1], total=len(found))


def row(request: AdminRequest) -> Response:
    """Show one row of a project as JSON."""
    call, kind = _call(request, {}), _kind(request)
    id = request.path["row"]
    value = kind.rows(call).get(id)
    if value is None:
        raise not_found(f"The project has nothing with the identifier {id!r} here.", "no_such_row")
    relations: Any = call.project.relations.get(id) if kind is KINDS["records"] else None
    written = {"value": write_json(value), "relations": write_json(relations) if relations else None}
    return _render(request, "row.html", call.project, id=id, **written)


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


def _kind(request: AdminRequest) -> Kind:
    kind = KINDS.get(request.path["kind"])
    if kind is None:
        raise not_found(f"There is no page {request.path['kind']!r}; there are {', '.join(KINDS)}.", "no_such_page")
    return kind


def _render(request: AdminRequest, template: str, project: Project, **context: Any) -> Response:
    base = f"{root(request.path['world'])}/projects/{quote(project.id, safe='')}"
    shown = {"project": project, "base": base, "kind": request.path["kind"], "kinds": KINDS}
    return render_world(request, template, "world", **shown, **context)
