"""Services whose error responses have another body or status."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_replies
from ..service.app import Reply, Request

errors = Kind("error bodies")


def failing(name: str, statuses: set[int], change: Callable[[Json], Any], operation: str = "records_update") -> None:
    """Register a mutant that changes the bodies of error responses with some statuses."""

    def changed(called: str | None, request: Request, reply: Reply) -> Reply:
        if reply.status not in statuses or called is None:
            return reply
        return replace(reply, body=json.dumps(change(json.loads(reply.body))).encode())

    sentence = "Error body (JSON): `message` (string, always present) and `code` (string, optional)."
    errors.add(name, operation, sentence, lambda: alter_replies(changed))


failing("messages of invalid requests are lists", {422}, lambda body: {**body, "message": [body["message"]]})


failing("codes of conflicts are numbers", {409}, lambda body: {**body, "code": 40901})


failing("errors of permission are nested", {403}, lambda body: {"error": body}, "sidebar_replace")


failing("what is not found has no message", {404}, lambda body: {"detail": body["message"]})


failing("bodies that are not JSON have no message", {400}, lambda body: {"error": body["message"]}, "memory_update")


failing("refused tokens are answered by a text", {401}, lambda body: body["message"], "posts_list")


failing("refused exports have a list of errors", {400}, lambda body: [body], "labels_export")


def export(name: str, status: int, to: int) -> None:
    """Register a mutant that answers another status to a refused export."""
    errors.add(
        name,
        "labels_export",
        "Error responses: 400, 401, 403 (JSON error body).",
        lambda: alter_replies(
            lambda called, _, reply: (
                replace(reply, status=to) if (called, reply.status) == ("labels_export", status) else reply
            )
        ),
    )


export("invalid exports are unprocessable", 400, 422)


export("exports without permission are not found", 403, 404)


export("exports without a token are forbidden", 401, 403)
