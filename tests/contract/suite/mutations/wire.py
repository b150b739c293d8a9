"""Broken responses of all operations: error bodies, content types, timestamps (Errors, Resources)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime
from typing import Any

from project_platform_stub.http.messages import Response

from .mutation import alter_errors, alter_fields, alter_responses, mutation

TIMES = ("createdAt", "updatedAt")


@mutation("errors.body.*")
def errors_have_no_message() -> None:
    alter_errors(lambda body: body.pop("message"))


@mutation("errors.body.*")
def errors_are_wrapped() -> None:
    def wrapped(body: dict[str, Any]) -> None:
        body["error"] = {name: body.pop(name) for name in list(body)}

    alter_errors(wrapped)


@mutation("errors.code", also=("errors.body.*",))
def the_code_of_an_error_is_a_number() -> None:
    alter_errors(lambda body: body.update(code=17))


@mutation("errors.body.*")
def errors_are_pages() -> None:
    def page(operation: str | None, response: Response) -> Response:
        if response.status < 400:
            return response
        return replace(response, headers={"Content-Type": "text/html"}, body=b"<h1>Error</h1>")

    alter_responses(page)


@mutation("answers.*")
def json_is_called_text() -> None:
    def text(operation: str | None, response: Response) -> Response:
        if response.headers.get("Content-Type") != "application/json":
            return response
        return replace(response, headers={**response.headers, "Content-Type": "text/plain"})

    alter_responses(text)


@mutation("fields.timestamps", also=("answers.*",))
def times_are_seconds() -> None:
    alter_fields(TIMES, lambda text: int(datetime.fromisoformat(text).timestamp()))


@mutation("fields.timestamps", also=("answers.*",))
def times_are_not_iso_8601() -> None:
    alter_fields(TIMES, lambda text: f"{datetime.fromisoformat(text):%d.%m.%Y %H:%M}")


@mutation("answers.*")
def success_is_answered_with_500() -> None:
    def failed(operation: str | None, response: Response) -> Response:
        return replace(response, status=500) if 200 <= response.status < 300 else response

    alter_responses(failed)


@mutation("fields.identifiers", also=("answers.*",))
def identifiers_are_numbers() -> None:
    alter_fields(["id"], lambda text: sum(text.encode()))


@mutation("records.update.stale-body")
def a_stale_precondition_has_no_body() -> None:
    alter_conflict("records_update")


@mutation("calendar.book.conflict-body")
def a_taken_slot_has_no_body() -> None:
    alter_conflict("calendar_book")


def alter_conflict(operation: str) -> None:
    """Remove the body of the 409 responses of an operation."""

    def emptied(of: str | None, response: Response) -> Response:
        return replace(response, body=b"") if (of, response.status) == (operation, 409) else response

    alter_responses(emptied)
