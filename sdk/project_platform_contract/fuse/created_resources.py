"""The resources that a request created, read from its response. The suite does not delete them, so they remain."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any, NamedTuple

import httpx

UNKNOWN = "unknown"


class Created(NamedTuple):
    """A created resource.

    Attributes:
        kind: Kind of the resource, such as `record`.
        id: Identifier; `unknown` if the response does not contain it.
        name: Name, if it has one.
    """

    kind: str
    id: str
    name: str | None = None


def created_resources(operation: str, request: httpx.Request, response: httpx.Response) -> Iterator[Created]:
    """Yield the resources that a request created, as far as its response shows them.

    Args:
        operation: The operationId.
        request: The request.
        response: The response, which has been read.
    """
    if not response.is_success:
        return
    sent, got = _object(request.content), _object(response.content)
    match operation:
        case "workflows_create":
            workflow = _member(got, "workflow")
            yield Created("workflow", _text(workflow, "id"), _name(workflow, "name") or _name(sent, "name"))
        case "records_create":
            record = _member(got, "record")
            given = _name(sent, "externalId") or _name(_member(sent, "data"), "title")
            yield Created("record", _text(record, "id"), given or _name(record, "displayName"))
            yield from _person(record)
        case "records_update":
            yield from _person(_member(got, "record"))
        case "calendar_book":
            yield Created("event", _text(got, "bookingUid"), _name(sent, "summary"))
        case "templates_apply":
            project = _member(_member(got, "data"), "project")
            yield Created("sub-project", _text(project, "id"), _name(project, "name") or _name(sent, "name"))
        case "engagement_like":
            post = request.url.path.rstrip("/").split("/")[-2]
            yield Created("like of a post", post, None)
        case _:
            pass


def _person(record: dict[str, Any]) -> Iterator[Created]:
    """Yield the person linked to a record; the response does not say whether the person is new."""
    if _name(record, "personRefId"):
        yield Created("person (made or found)", _text(record, "personRefId"))


def _object(content: bytes) -> dict[str, Any]:
    try:
        value = json.loads(content)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}


def _member(value: dict[str, Any], name: str) -> dict[str, Any]:
    member = value.get(name)
    return member if isinstance(member, dict) else {}


def _name(value: dict[str, Any], name: str) -> str | None:
    member = value.get(name)
    return member if isinstance(member, str) and member else None


def _text(value: dict[str, Any], name: str) -> str:
    return _name(value, name) or UNKNOWN
