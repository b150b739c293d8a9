"""Error bodies that are wrong for one status or one operation."""

from __future__ import annotations

import json
from collections.abc import Callable

from ..mutant import Json, Kind, alter_replies
from ..service.app import Reply, Request

errors = Kind("error bodies")

MESSAGE = (
    "Error body (JSON): `message` (string, always present) and `code` (string, optional, for programmatic handling)."
)


def body(name: str, operation: str, statuses: tuple[int, ...], change: Callable[[Json], object]) -> None:
    """Register a mutant that changes the error bodies of an operation with some statuses."""

    def altered(of: str | None, request: Request, reply: Reply) -> Reply:
        if of != operation or reply.status not in statuses:
            return reply
        value = json.loads(reply.body)
        changed = change(value)
        return Reply(reply.status, json.dumps(value if changed is None else changed).encode(), reply.headers)

    errors.add(name, operation, MESSAGE, lambda: alter_replies(altered))


body(
    "the message of a refused workflow is a list",
    "workflows_create",
    (422,),
    lambda value: value.update(message=[value["message"]]),
)
body(
    "the message of a refused record is an object",
    "records_create",
    (422,),
    lambda value: value.update(message={"error": value["message"]}),
)
body("a record that is not found has no message", "records_update", (404,), lambda value: value.pop("message") and None)
body("the message of a conflict is null", "records_update", (409,), lambda value: value.update(message=None))
body("the code of a conflict is a number", "records_update", (409,), lambda value: value.update(code=409))
body("the code of a taken slot is null", "calendar_book", (409,), lambda value: value.update(code=None))
body(
    "an event that is not found is described by error",
    "calendar_reschedule",
    (404,),
    lambda value: {"error": value["message"]},
)
body(
    "a refused range has a problem document",
    "calendar_busy",
    (400,),
    lambda value: {"title": "Bad Request", "detail": value["message"]},
)
body(
    "a refused template is an error in the data",
    "templates_apply",
    (403,),
    lambda value: {"success": False, "data": value},
)
body("a refused like is a success with false", "engagement_like", (404,), lambda value: {"success": False})
body("a limit out of range is described by errors", "agents_list", (400,), lambda value: {"errors": [value["message"]]})
body(
    "an unauthenticated list of posts has the message null",
    "posts_list",
    (401,),
    lambda value: value.update(message=None),
)
body(
    "an unauthenticated permission check has an error name",
    "auth_check_permission",
    (401,),
    lambda value: {"error": "unauthorized", "error_description": value["message"]},
)


def raw(name: str, operation: str, statuses: tuple[int, ...], reply: Callable[[int], Reply]) -> None:
    """Register a mutant that replaces the error responses of an operation with some statuses."""

    def altered(of: str | None, request: Request, old: Reply) -> Reply:
        return reply(old.status) if of == operation and old.status in statuses else old

    errors.add(name, operation, MESSAGE, lambda: alter_replies(altered))


raw(
    "a booking without a token is answered with a page",
    "calendar_book",
    (401,),
    lambda status: Reply(status, b"<html>Sign in</html>", {"content-type": "text/html"}),
)
raw(
    "a refused update of a memory entry has no body",
    "memory_update",
    (422,),
    lambda status: Reply(status, b"", {"content-type": "application/json"}),
)
raw(
    "a forbidden record is answered with text",
    "records_create",
    (403, 404),
    lambda status: Reply(status, b"Forbidden", {"content-type": "text/plain"}),
)
