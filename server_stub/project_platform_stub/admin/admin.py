"""The table of the admin routes, and their handler."""

from __future__ import annotations

from collections.abc import Iterable
from functools import partial

from project_platform_stub.describe import describe
from project_platform_stub.dispatch.service import Service
from project_platform_stub.documents.document import DocumentError
from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.messages import Request, Response, json_response
from project_platform_stub.http.routing import Router

from . import api
from .gate import check_form, check_gate
from .page import contents, page
from .page.forms import clock_body, form, plan_body, replay
from .page.rendering import asset
from .request import PRIVATE, AdminRequest, Route

_WORLD = "/_stub/worlds/{world}"
_PAGE = "/_stub/page/{world}"

ROUTES = (
    Route("GET", "/_stub/worlds", api.list_worlds),
    Route("POST", "/_stub/worlds", api.create_world, 201),
    Route("GET", _WORLD, lambda request: describe(request.world, request.base_url)),
    Route("DELETE", _WORLD, api.delete_world),
    Route("POST", f"{_WORLD}/reset", api.reset_world),
    Route("GET", f"{_WORLD}/snapshots", lambda request: {"snapshots": request.world.snapshots}),
    Route("POST", f"{_WORLD}/snapshots", api.take_snapshot, 201),
    Route("DELETE", f"{_WORLD}/snapshots/{{snapshot}}", api.discard_snapshot),
    Route("POST", f"{_WORLD}/snapshots/{{snapshot}}/restore", api.restore_snapshot),
    Route("POST", f"{_WORLD}/tokens", api.issue_token, 201),
    Route("POST", f"{_WORLD}/keys/rotate", partial(api.change_keys, "rotate")),
    Route("POST", f"{_WORLD}/keys/publish", partial(api.change_keys, "publish")),
    Route("POST", f"{_WORLD}/keys/retire", partial(api.change_keys, "retire")),
    Route("GET", f"{_WORLD}/clock", lambda request: api.clock_json(request.world.clock)),
    Route("POST", f"{_WORLD}/clock", api.move_clock),
    Route("GET", f"{_WORLD}/faults", lambda request: api.report(request.world.faults)),
    Route("POST", f"{_WORLD}/faults", api.plan_faults, 201),
    Route("DELETE", f"{_WORLD}/faults", api.clear_faults),
    Route("POST", f"{_WORLD}/faults/land", api.land_faults),
    Route("GET", f"{_WORLD}/journal", api.show_journal),
    Route("DELETE", f"{_WORLD}/journal", api.clear_journal),
    Route("GET", f"{_WORLD}/outbox", api.show_outbox),
    Route("DELETE", f"{_WORLD}/outbox", api.clear_outbox),
    Route("GET", "/_stub/journal", api.show_journal),
    Route("DELETE", "/_stub/journal", api.clear_journal),
    Route("GET", "/_stub/style.css", lambda _: asset("style.css", "text/css; charset=utf-8")),
    Route("GET", "/_stub/icon.svg", lambda _: asset("icon.svg", "image/svg+xml")),
    Route("GET", "/_stub/", page.worlds),
    form("/_stub/page", api.create_world, "{root}", "created"),
    Route("GET", "/_stub/unmatched-requests", page.journal),
    form("/_stub/unmatched-requests/clear", api.clear_journal, page.UNMATCHED_REQUESTS, "cleared"),
    Route("GET", "/_stub/unmatched-requests/{number}", page.entry),
    Route("POST", "/_stub/unmatched-requests/{number}/replay", replay),
    Route("GET", _PAGE, page.world),
    form(f"{_PAGE}/delete", api.delete_world, "/_stub/", "deleted"),
    form(f"{_PAGE}/reset", api.reset_world, "{root}", "reset"),
    form(f"{_PAGE}/clock", api.move_clock, "{root}", "clock", clock_body),
    form(f"{_PAGE}/snapshots", api.take_snapshot, "{root}", "snapshot"),
    form(f"{_PAGE}/snapshots/{{snapshot}}/restore", api.restore_snapshot, "{root}", "restored"),
    form(f"{_PAGE}/snapshots/{{snapshot}}/discard", api.discard_snapshot, "{root}", "discarded"),
    Route("GET", f"{_PAGE}/projects/{{project}}/labels.pdf", contents.labels),
    Route("GET", f"{_PAGE}/projects/{{project}}/{{kind}}", contents.rows),
    Route("GET", f"{_PAGE}/projects/{{project}}/{{kind}}/{{row}}", contents.row),
    Route("GET", f"{_PAGE}/journal", page.journal),
    form(f"{_PAGE}/journal/clear", api.clear_journal, "{root}/journal", "cleared"),
    Route("GET", f"{_PAGE}/journal/{{number}}", page.entry),
    Route("POST", f"{_PAGE}/journal/{{number}}/replay", replay),
    Route("GET", f"{_PAGE}/outbox", page.outbox),
    form(f"{_PAGE}/outbox/clear", api.clear_outbox, "{root}/outbox", "cleared"),
    Route("GET", f"{_PAGE}/faults", page.faults),
    form(f"{_PAGE}/faults", api.plan_faults, "{root}/faults", "planned", plan_body),
    form(f"{_PAGE}/faults/clear", api.clear_faults, "{root}/faults", "cleared"),
    form(f"{_PAGE}/faults/land", api.land_faults, "{root}/faults", "landed"),
)

_ROUTER = Router(ROUTES)


class Admin:
    """Handles the requests under `/_stub/`.

    Args:
        hosts: Host names of the server. Addresses, names without a dot, and names under a reserved top-level domain,
            such as `localhost`, are always allowed.
    """

    def __init__(self, service: Service, hosts: Iterable[str] = ()) -> None:
        self._service = service
        self._allowed_hosts = {host.lower() for host in hosts}

    def handle(self, request: Request) -> Response:
        """Return the response to a request, or raise the `ApiError` to respond with."""
        check_gate(request, self._allowed_hosts)
        route, path = _ROUTER.find(request.method, request.raw_path)
        admin_request = AdminRequest(request, self._service, path)
        if route.is_page and route.method == "POST":
            check_form(request)
        try:
            result = route.handle(admin_request)
            return result if isinstance(result, Response) else json_response(route.status, result, PRIVATE)
        except DocumentError as error:
            refusal = ApiError(400, str(error), "invalid_request")
        except ApiError as error:
            refusal = error
        if route.is_page:
            return page.refused(admin_request, refusal)
        raise refusal
