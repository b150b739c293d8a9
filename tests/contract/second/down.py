"""Services of which an operation is down, in each of several ways."""

from __future__ import annotations

from project_platform_contract.operations import operations
from project_platform_contract.suite.support import controls

from .mutant import DOWN, Kind, patch
from .service import Service
from .service.app import Refusal, Reply, Request, find

JSON = {"content-type": "application/json"}
REPLIES = {
    "500": Reply(500, b'{"message": "The service failed."}', JSON),
    "400": Reply(400, b'{"message": "That is invalid."}', JSON),
    "403": Reply(403, b'{"message": "You may not do this."}', JSON),
    "empty 200": Reply(200, b"", JSON),
}
"""The replies to every request of an operation that is down."""

MORE = {
    "engagement_like without success": ("engagement_like", Reply(200, b'{"success": false}', JSON)),
    "templates_apply without success": ("templates_apply", Reply(200, b'{"success": false, "data": null}', JSON)),
    "sidebar_replace without success": ("sidebar_replace", Reply(200, b'{"success": false, "data": null}', JSON)),
    "records_create without a member": ("records_create", Reply(200, b"{}", JSON)),
}
"""Further replies, with the operation that gives them."""


def always(operation: str, reply: Reply) -> None:
    """Give one reply to all requests of an operation, which is not performed."""
    respond = Service.__call__

    def down(self: Service, request: Request) -> Reply:
        try:
            name, _ = find(request.method, request.target.partition("?")[0])
        except Refusal:
            name = ""
        return reply if name == operation else respond(self, request)

    patch(Service, "__call__", down)
    patch(controls, "_FIRST_DELAY", 0.0)


_kind = Kind("down", registry=DOWN)
_CASES = {
    f"{operation.id} {name}": (operation.id, reply) for operation in operations() for name, reply in REPLIES.items()
}

UNNAMED = Kind("down, and the data file does not name the parameter", registry=DOWN)
for _name, _reply in REPLIES.items():
    UNNAMED.add(
        f"auth_check_permission {_name} without a name",
        "auth_check_permission",
        "Query: one parameter carrying a permission value from the Permission values list. Its name is not shown.",
        lambda r=_reply: always("auth_check_permission", r),
    )

for _name, (_operation, _reply) in {**_CASES, **MORE}.items():
    _kind.add(_name, _operation, "Every endpoint answers a valid request.", lambda o=_operation, r=_reply: always(o, r))
