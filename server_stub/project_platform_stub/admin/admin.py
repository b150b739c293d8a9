"""The table of the admin routes, and their handler."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from project_platform_stub.admin.request import Route
from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.messages import Request, Response
from project_platform_stub.http.routing import Router

from .api import clock, faults, journal, tokens, worlds
from .gate import check_form, check_gate
from .page import contents, forms, page
from .request import AdminRequest

if TYPE_CHECKING:
    from project_platform_stub.dispatch.service import Service

_WORLD = "/_stub/worlds/{world}"
_PAGE = "/_stub/page/{world}"

ROUTES = (
    Route("GET", "/_stub/worlds", worlds.list_worlds),
    Route("POST", "/_stub/worlds", worlds.create_world),
    Route("GET", _WORLD, worlds.show_world),
    Route("DELETE", _WORLD, worlds.delete_world),
    Route("POST", f"{_WORLD}/reset", worlds.reset_world),
    Route("GET", f"{_WORLD}/snapshots", worlds.list_snapshots),
    Route("POST", f"{_WORLD}/snapshots", worlds.take_snapshot),
    Route("DELETE", f"{_WORLD}/snapshots/{{snapshot}}", worlds.discard_snapshot),
    Route("POST", f"{_WORLD}/snapshots/{{snapshot}}/restore", worlds.restore_snapshot),
    Route("POST", f"{_WORLD}/tokens", tokens.issue_token),
    Route("POST", f"{_WORLD}/keys/rotate", tokens.rotate_keys),
    Route("POST", f"{_WORLD}/keys/publish", tokens.publish_keys),
    Route("POST", f"{_WORLD}/keys/retire", tokens.retire_keys),
    Route("GET", f"{_WORLD}/clock", clock.show_clock),
    Route("POST", f"{_WORLD}/clock", clock.move_clock),
    Route("GET", f"{_WORLD}/faults", faults.show_faults),
    Route("POST", f"{_WORLD}/faults", faults.plan_faults),
    Route("DELETE", f"{_WORLD}/faults", faults.clear_faults),
    Route("POST", f"{_WORLD}/faults/land", faults.land_faults),
    Route("GET", f"{_WORLD}/journal", journal.show_journal),
    Route("DELETE", f"{_WORLD}/journal", journal.clear_journal),
    Route("GET", f"{_WORLD}/outbox", journal.show_outbox),
    Route("DELETE", f"{_WORLD}/outbox", journal.clear_outbox),
    Route("GET", "/_stub/journal", journal.show_journal),
    Route("DELETE", "/_stub/journal", journal.clear_journal),
    Route("GET", "/_stub/style.css", page.style),
    Route("GET", "/_stub/icon.svg", page.icon),
    Route("GET", "/_stub/", page.worlds, is_page=True),
    Route("POST", "/_stub/page", forms.create_world, is_page=True),
    Route("GET", "/_stub/unmatched-requests", page.journal, is_page=True),
    Route("POST", "/_stub/unmatched-requests/clear", forms.clear_unmatched_requests, is_page=True),
    Route("GET", "/_stub/unmatched-requests/{number}", page.entry, is_page=True),
    Route("POST", "/_stub/unmatched-requests/{number}/replay", forms.replay, is_page=True),
    Route("GET", _PAGE, page.world, is_page=True),
    Route("POST", f"{_PAGE}/delete", forms.delete_world, is_page=True),
    Route("POST", f"{_PAGE}/reset", forms.reset_world, is_page=True),
    Route("POST", f"{_PAGE}/clock", forms.move_clock, is_page=True),
    Route("POST", f"{_PAGE}/snapshots", forms.take_snapshot, is_page=True),
    Route("POST", f"{_PAGE}/snapshots/{{snapshot}}/restore", forms.restore_snapshot, is_page=True),
    Route("POST", f"{_PAGE}/snapshots/{{snapshot}}/discard", forms.discard_snapshot, is_page=True),
    Route("GET", f"{_PAGE}/projects/{{project}}/labels.pdf", contents.labels, is_page=True),
    Route("GET", f"{_PAGE}/projects/{{project}}/{{kind}}", contents.rows, is_page=True),
    Route("GET", f"{_PAGE}/projects/{{project}}/{{kind}}/{{row}}", contents.row, is_page=True),
    Route("GET", f"{_PAGE}/journal", page.journal, is_page=True),
    Route("POST", f"{_PAGE}/journal/clear", forms.clear_journal, is_page=True),
    Route("GET", f"{_PAGE}/journal/{{number}}", page.entry, is_page=True),
    Route("POST", f"{_PAGE}/journal/{{number}}/replay", forms.replay, is_page=True),
    Route("GET", f"{_PAGE}/outbox", page.outbox, is_page=True),
    Route("POST", f"{_PAGE}/outbox/clear", forms.clear_outbox, is_page=True),
    Route("GET", f"{_PAGE}/faults", page.faults, is_page=True),
    Route("POST", f"{_PAGE}/faults", forms.plan_fault, is_page=True),
    Route("POST", f"{_PAGE}/faults/clear", forms.clear_faults, is_page=True),
    Route("POST", f"{_PAGE}/faults/land", forms.land_faults, is_page=True),
)

_ROUTER = Router(ROUTES)


class Admin:
    """Handles the requests under `/_stub/`.

    Args:
        service: The service to administrate.
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
        if not route.is_page:
            return route.handle(admin_request)
        if route.method == "POST":
            check_form(request)
        try:
            return route.handle(admin_request)
        except ApiError as refusal:
            return page.refused(admin_request, refusal)
