"""Broken responses of all operations: error bodies, content types, timestamps (Errors, Resources)."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime
from typing import Any

from project_platform_contract.operations import operations
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


@mutation("answers.memory-update", "answers.records-create")
def a_write_is_done_and_answered_with_500() -> None:
    reads = {known.id for known in operations() if known.effect == "read"}

    def failed(operation: str | None, response: Response) -> Response:
        return replace(response, status=500) if response.status < 300 and operation not in reads else response

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


@mutation("errors.number.*")
def every_error_has_a_status_like_no_other() -> None:
    def scattered(operation: str | None, response: Response) -> Response:
        if response.status < 400:
            return response
        body = json.loads(response.body)
        texts = f"{body.get('code')} {body['message']}"
        return replace(response, status=420 + sum(texts.encode()) % 60)

    alter_responses(scattered)
