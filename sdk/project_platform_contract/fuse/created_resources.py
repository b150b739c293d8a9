"""The resources that a request created, read from its response. The suite does not delete them, so they remain."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Final, NamedTuple

import httpx

from project_platform_contract.media_types import parsed

UNKNOWN: Final = "unknown"

_CREATED: Final = {
    "workflows_create": ("workflow", "workflow.id"),
    "records_create": ("record", "record.id"),
    "calendar_book": ("event", "bookingUid"),
    "templates_apply": ("sub-project", "data.project.id"),
}
"""By operationId, the kind of resource that it creates, and the member of the response with its identifier."""
_NAMES: Final = ("name", "externalId", "data.title", "summary")
"""Members of a request with the name of the resource, the most specific first."""


class Created(NamedTuple):
    """A created resource; its identifier is `unknown` if the response does not contain it."""

    kind: str
    id: str
    name: str | None = None


def created_resources(operation: str, request: httpx.Request, response: httpx.Response) -> Iterator[Created]:
    """Yield the resources that a request created, as far as its response, which has been read, shows them."""
    if not response.is_success:
        return
    sent, got = parsed(request.content), parsed(response.content)
    if operation in _CREATED:
        kind, id = _CREATED[operation]
        names = (*(_text(sent, name) for name in _NAMES), _text(got, "record.displayName"))
        yield Created(kind, _text(got, id) or UNKNOWN, next(filter(None, names), None))
    if operation == "engagement_like":
        yield Created("like of a post", request.url.path.rstrip("/").split("/")[-2])
    # The response does not say whether the person is new.
    if operation in {"records_create", "records_update"} and (person := _text(got, "record.personRefId")):
        yield Created("person (made or found)", person)


def _text(value: Any, path: str) -> str | None:
    """Return a text by the names of the members that lead to it; None if there is none or it is empty."""
    for name in path.split("."):
        value = value.get(name) if isinstance(value, dict) else None
    return value if isinstance(value, str) and value else None
