"""Error responses of frameworks, gateways and networks that are passed on as they are."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace

from ..mutant import Kind, alter_refusal, alter_replies
from ..service.app import Reply, Request, json_reply

error = Kind("error handler")

MESSAGE = "Error body (JSON): `message` (string, always present) and `code` (string, optional)."


def rewrite(operation: str, statuses: frozenset[int], change: Callable[[str, Reply], Reply]) -> None:
    """Change the error responses of an operation, given their message."""

    def changed(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != operation or reply.status not in statuses:
            return reply
        return change(json.loads(reply.body)["message"], reply)

    alter_replies(changed)


def plain(message: str, reply: Reply) -> Reply:
    """Return an error response as text."""
    return replace(reply, body=message.encode(), headers={"content-type": "text/plain; charset=utf-8"})


@error("workflows_create", MESSAGE)
def messages_about_invalid_workflows_are_arrays() -> None:
    rewrite(
        "workflows_create",
        frozenset({422}),
        lambda message, reply: json_reply(422, {"statusCode": 422, "message": [message], "error": "Unprocessable"}),
    )


@error("calendar_book", MESSAGE)
def invalid_bookings_have_details_without_a_message() -> None:
    rewrite(
        "calendar_book",
        frozenset({422}),
        lambda message, reply: json_reply(422, {"detail": [{"loc": ["body"], "msg": message, "type": "value_error"}]}),
    )


@error("labels_export", "Error responses: 400, 401, 403 (JSON error body).")
def errors_of_exports_are_text() -> None:
    rewrite("labels_export", frozenset({400, 401, 403}), plain)


@error("labels_export", "Error responses: 400, 401, 403 (JSON error body).")
def unknown_menu_items_are_not_found() -> None:
    alter_refusal("labels_export", "unknown_item", 404)


@error("posts_list", MESSAGE)
def the_gateway_refuses_tokens_in_text() -> None:
    rewrite("posts_list", frozenset({401}), lambda message, reply: plain("Unauthorized", reply))


@error("templates_apply", MESSAGE)
def unknown_templates_have_the_error_of_the_framework() -> None:
    rewrite(
        "templates_apply",
        frozenset({404}),
        lambda message, reply: json_reply(404, {"error": "Not Found", "status": 404}),
    )


@error("photo_analytics_list_media", MESSAGE)
def errors_of_the_network_are_passed_on() -> None:
    rewrite(
        "photo_analytics_list_media",
        frozenset({404}),
        lambda message, reply: json_reply(404, {"error": {"message": message, "type": "OAuthException", "code": 100}}),
    )
