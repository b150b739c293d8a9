"""Stubs that compare a content type as a text, without its parts (RFC 9110 section 8.3.1)."""

from __future__ import annotations

from collections.abc import Callable

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.context import RequestContext
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.errors import unsupported
from project_platform_stub.http.messages import Request
from project_platform_stub.world.domain import Json

from .mutation import mutation, patch

PARAMETERS = "content-type.parameters.*"


def only(fits: Callable[[str], bool], *, otherwise: Json | None = None) -> None:
    """Refuse a body whose content type does not fit, or read it as another one."""
    read = OperationDispatcher._body

    def checked(self: OperationDispatcher, operation: Operation, request: Request, context: RequestContext) -> Json:
        found = request.headers.get("content-type", "")
        if operation.body is None or fits(found):
            return read(self, operation, request, context)
        if otherwise is None:
            raise unsupported("Content-Type", found, "it must be application/json")
        return otherwise

    patch(OperationDispatcher, "_body", checked)


@mutation(PARAMETERS)
def a_content_type_has_no_parameters() -> None:
    only(lambda found: ";" not in found)


@mutation(PARAMETERS)
def a_content_type_is_in_lower_case() -> None:
    only(str.islower)


@mutation(PARAMETERS)
def a_content_type_has_no_quotes() -> None:
    only(lambda found: '"' not in found)


@mutation(PARAMETERS)
def a_body_whose_content_type_has_blanks_is_empty() -> None:
    only(lambda found: " ;" not in found, otherwise={})
