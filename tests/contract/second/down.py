"""Services of which an operation is down, in each of several ways."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from project_platform_contract.operations import operations
from project_platform_contract.suite.support import controls

from .mutant import DOWN, Kind, instead, patch
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

    @instead(Service, "__call__")
    def down(respond: Callable[[Service, Request], Reply], self: Service, request: Request) -> Reply:
        try:
            name, _ = find(request.method, request.target.partition("?")[0])
        except Refusal:
            name = ""
        return reply if name == operation else respond(self, request)

    patch(controls, "_FIRST_DELAY", 0.0)


_CHECK = "auth_check_permission"
_CASES = {
    f"{operation.id} {name}": (operation.id, reply) for operation in operations() for name, reply in REPLIES.items()
}
for _kind, _sentence, _cases in (
    ("down", "Every endpoint answers a valid request.", {**_CASES, **MORE}),
    (
        "down, and the data file does not name the parameter",
        "Query: one parameter carrying a permission value from the Permission values list. Its name is not shown.",
        {f"{_CHECK} {name} without a name": (_CHECK, reply) for name, reply in REPLIES.items()},
    ),
):
    for _name, (_operation, _reply) in _cases.items():
        Kind(_kind, registry=DOWN).add(_name, _sentence, _operation, partial(always, _operation, _reply))
