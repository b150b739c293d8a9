"""The forms of the page: a form calls a JSON route with its fields as the body, and redirects to a page.

Because of the redirect, a reload of the page does not submit the form again.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from decimal import Decimal
from typing import Any

from project_platform_stub.admin.request import AdminRequest, Route
from project_platform_stub.faults.plans import TOKEN
from project_platform_stub.http.errors import conflict, not_found
from project_platform_stub.http.messages import Request, Response, write_json
from project_platform_stub.http.routing import decoded_query
from project_platform_stub.world.domain import Json
from project_platform_stub.world.world import World

from .page import UNMATCHED_REQUESTS, find_entry, root

_UNITS = {"seconds": 1, "minutes": 60, "hours": 3600, "days": 86400}
_NUMBERS = frozenset({"seed", "status", "retryAfter", "seconds", "hangs", "after", "times"})
_NUMBER = re.compile(r"-?\d{1,12}(\.\d{1,9})?", re.ASCII)


def _body(fields: Mapping[str, str]) -> Json:
    """Return an object with the fields as its members."""
    return {name: _value(name, text) for name, text in fields.items()}


def clock_body(fields: Mapping[str, str]) -> Json:
    """Return the body that moves the clock as the pressed button says."""
    match fields:
        case {"do": "advance", "amount": text, "unit": unit} if unit in _UNITS:
            amount = _number(text)
            return {"advance": amount if isinstance(amount, str) else amount * _UNITS[unit]}
        case {"do": "set", "moment": moment}:
            return {"set": moment}
        case {"do": "freeze" | "run" as do}:
            return {do: True}
        case _:
            return {}


def plan_body(fields: Mapping[str, str]) -> Json:
    """Return the body that plans a fault."""
    fault = _body(fields)
    operation = fault.pop("operation", "")
    if fault.get("fault") == "status":
        fault.setdefault("status", 503)
    return {"operation": operation, "faults": [fault]}


def form(
    path: str,
    route: Callable[[AdminRequest], Json],
    page: str,
    note: str,
    body: Callable[[Mapping[str, str]], Json] = _body,
) -> Route:
    """Return the route of a form.

    Args:
        path: Path of the form.
        route: Function of the JSON route, which validates the body.
        page: Path of the page that the form redirects to; `{root}` is the path of the world's pages.
        note: Name of the note on that page.
        body: Returns the body for the route.
    """

    def submit(request: AdminRequest) -> Response:
        fields = {name: text.strip() for name, text in decoded_query(request.http_request.body).items() if text.strip()}
        headers = {**request.http_request.headers, "content-type": "application/json"}
        http_request = replace(request.http_request, headers=headers, body=write_json(body(fields)))
        result = route(replace(request, http_request=http_request))
        return _redirect(page.format(root=root(request.path.get("world") or result.get("world", ""))), note)

    return Route("POST", path, submit)


def replay(request: AdminRequest) -> Response:
    """Send a request of a journal again, as the same identity with a new token, and show the new entry."""
    world, entry = request.world if "world" in request.path else None, find_entry(request)
    if entry.body is None:
        message = f"The request cannot be sent again: its body of {entry.size} bytes was too long for the journal."
        raise conflict(message, "no_body")
    headers = {"content-type": entry.content_type} if entry.content_type else {}
    journals = [(UNMATCHED_REQUESTS, request.service.unmatched_requests)]
    if world is not None and entry.identity is not None:
        headers["authorization"] = f"Bearer {_credential(world, entry.identity, entry.operation)}"
        # With a stale key set a new token is refused as well, and then the request belongs to no world.
        journals.append((f"{root(world.id)}/journal", world.journal))
    raw_path, _, query = entry.path.encode("latin-1").partition(b"?")
    response = request.service.handle(Request(entry.method, raw_path, query, headers, entry.body))
    for page, journal in journals:
        for sent in journal:
            if sent.request_id == response.headers["X-Request-Id"]:
                return _redirect(f"{page}/{sent.number}", "replayed")
    raise not_found("The request was sent again, but later requests have replaced its entry.", "no_such_entry")


def _credential(world: World, identity: str, operation: str | None) -> str:
    try:
        return (world.tokens.session if operation == TOKEN else world.tokens.valid)(identity)
    except LookupError as error:
        raise conflict(str(error.args[0]), "no_such_identity") from None


def _redirect(path: str, note: str) -> Response:
    # RFC 9110 section 15.4.4
    return Response(303, {"Location": f"{path}?note={note}", "Cache-Control": "no-store"}, b"")


def _value(name: str, text: str) -> Any:
    if name == "applied":
        return text == "on"
    return _number(text) if name in _NUMBERS else text


def _number(text: str) -> Decimal | str:
    """Return a number, or the unchanged string, which the JSON route refuses."""
    return Decimal(text) if _NUMBER.fullmatch(text) else text
