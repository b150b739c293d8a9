"""Routes that show and clear journals and outboxes."""

from __future__ import annotations

import re
from base64 import b64encode
from collections.abc import Iterable, Mapping
from dataclasses import asdict

from pydantic.alias_generators import to_camel

from project_platform_stub.admin.request import AdminRequest, private_json
from project_platform_stub.http.errors import bad_request
from project_platform_stub.http.messages import Response
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.world.domain import Json
from project_platform_stub.world.journal import Entry

_STATUS = re.compile(r"[1-5](\d\d|xx)", re.ASCII)

FILTERS = ("operation", "status", "identity", "q", "near")


def matching(query: Mapping[str, str], entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that match a query, or raise a 400.

    Its parameters are `FILTERS`: `status` may be a class of statuses such as `4xx`; `q` is a text that the path, body,
    message, fault or a hint contains, ignoring case; `near` is 1 for only likely mistakes. An empty one matches all entries.
    """
    operation, status, identity, text, near = (query.get(name, "") for name in FILTERS)
    if status and not _STATUS.fullmatch(status):
        raise bad_request("query.status", "must be a status such as 409, or a class such as 4xx")
    if near not in {"", "0", "1"}:
        raise bad_request("query.near", "must be 0 or 1")
    return [
        entry
        for entry in entries
        if operation in {"", entry.operation}
        and identity in {"", entry.identity}
        and str(entry.status or "").startswith(status.rstrip("x"))
        and (near != "1" or entry.near_miss)
        and text.casefold() in _text(entry).casefold()
    ]


def show_journal(request: AdminRequest) -> Response:
    """Return the requests of a world, or those that belong to no world, oldest first."""
    return private_json({"entries": list(map(_entry, matching(request.query(FILTERS), request.journal)))})


def clear_journal(request: AdminRequest) -> Response:
    """Delete the journal entries of a world, or of the requests that belong to no world."""
    request.journal.clear()
    return private_json({"entries": []})


def show_outbox(request: AdminRequest) -> Response:
    """Return the mails to attendees in a world, oldest first."""
    return private_json({"mails": [_in_camel_case(asdict(mail)) for mail in request.world.outbox]})


def clear_outbox(request: AdminRequest) -> Response:
    """Delete the mails to attendees in a world."""
    request.world.outbox.clear()
    return private_json({"mails": []})


def _entry(entry: Entry) -> Json:
    members = {name: value for name, value in entry._asdict().items() if name != "monotonic"}
    derived = {"at": wire_time(entry.at), "verdict": entry.verdict, "near_miss": entry.near_miss}
    return _in_camel_case({**members, **derived, **_body(entry.body)})


def _in_camel_case(members: Json) -> Json:
    return {to_camel(name): value for name, value in members.items()}


def _body(body: bytes | None) -> Json:
    """Return a body as text, or in Base64 if it is not UTF-8; null if it was too long for the journal."""
    try:
        return {"body": None if body is None else body.decode()}
    except UnicodeDecodeError:
        return {"body": None, "body_base64": b64encode(body or b"").decode()}


def _text(entry: Entry) -> str:
    body = (entry.body or b"").decode("utf-8", "replace")
    return "\n".join(
        [entry.method, entry.path, entry.verdict, entry.fault or "", entry.message or "", *entry.hints, body]
    )
