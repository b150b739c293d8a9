"""A local server that answers the SDKs of `feature_trials.py`, each in the form of its service."""

from __future__ import annotations

import json
from typing import Any

from .json_server import JsonHandler, serve
from .server import AGENT

SECRET = "s3cret-0001"  # the secret that answers have, which is none
COUNT = 8  # objects of a list
_TIME = "2026-01-01T00:00:00.000Z"
_SECONDS = 1_767_225_600  # the same time


def _listed(name: str) -> tuple[str, Any]:
    """Return the name of a list in an answer, and one of its objects."""
    match name:
        case "agents":
            servers = [{"name": "calendar", "url": "https://calendar.example", "headers": {"x-key": SECRET}}]
            return "agents", {**AGENT, "mcpServers": servers}
        case "Deals":
            return "records", {"id": "rec0", "createdTime": _TIME, "fields": {"Name": "Roof", "Amount": 1200}}
        case "customers":
            return "data", {"id": "cus_0", "object": "customer", "created": _SECONDS, "name": "Ada", "livemode": False}
        case "models":
            return "data", {"id": "m-0", "object": "model", "created": _SECONDS, "owned_by": "house"}
        case "query":
            kind = {"type": "Account", "url": "/services/data/v59.0/sobjects/Account/0"}
            return "records", {"attributes": kind, "Id": "0", "Name": "Roof", "CreatedDate": _TIME}
        case _:
            return "value", {"id": "0", "name": "Roof", "created": _TIME}


def _page(name: str, count: int) -> dict[str, Any]:
    key, item = _listed(name)
    items = [
        {field: f"{value[:-1]}{n}" if field in {"id", "Id"} else value for field, value in item.items()}
        for n in range(count)
    ]
    common = {"object": "list", "url": "/v1/customers", "has_more": False, "done": True, "totalSize": count}
    return {**common, key: items, "pagination": {"limit": 100, "offset": 0, "hasMore": False}}


def _created(name: str, body: bytes) -> tuple[int, Any]:
    """Return the status and the answer to a POST."""
    match name:
        case "object-records":
            sent = json.loads(body)
            return 201, {"record": {"id": "rec_1", "data": sent["data"], "externalId": sent.get("externalId")}}
        case "Deals":
            return 200, {"records": [{"id": "rec1", "createdTime": _TIME, "fields": {}}]}
        case "webhooks":
            return 200, {"id": "ach1", "macSecretBase64": SECRET, "expirationTime": None}
        case "webhook_endpoints":
            return 200, {"id": "we_1", "object": "webhook_endpoint", "secret": SECRET}
        case "admin_api_keys":
            owner = {"type": "user", "id": "user_1", "name": "Ada", "role": "owner", "created_at": _SECONDS}
            key = {"id": "key_1", "object": "organization.admin_api_key", "created_at": _SECONDS, "name": "x"}
            return 200, {**key, "redacted_value": "s3...", "value": SECRET, "owner": owner}
        case "completions":
            message = {"index": 0, "message": {"role": "assistant", "content": "x"}, "finish_reason": "stop"}
            usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
            answer = {"id": "c", "object": "chat.completion", "created": _SECONDS, "model": "m-1", "usage": usage}
            return 200, {**answer, "choices": [message]}
        case _:
            return 201, {"id": "1", "object": "customer", "success": True, "errors": []}


class Server:
    """Answers as the mode says, and records the requests.

    Attributes:
        url: Its address.
        mode: `ok`, `empty` for lists without objects, `busy` if the first request is refused with `busy_status`, `refused` for 403,
            `lost` if the connection is closed after the request was read.
        busy_status: A status that the SDK answers with another attempt.
        requests: The header fields and the body of each request.
    """

    def __init__(self, mode: str, busy_status: int) -> None:
        self.mode = mode
        self.busy_status = busy_status
        self.requests: list[tuple[dict[str, str], bytes]] = []
        server = self

        class Handler(JsonHandler):
            def respond(self) -> None:
                body = self.read_body()
                server.requests.append((dict(self.headers.items()), body))
                if server.mode == "lost":
                    self.close_connection = True
                    return
                status, content = server.answer(self.command, self.path.partition("?")[0], body)
                self.answer(status, content, {"Retry-After": "1"} if status == server.busy_status else None)

            do_GET = do_POST = respond  # noqa: N815  # the names of http.server

        self.url = serve(Handler)

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, Any]:
        """Return the status and the content of an answer."""
        name = path.rstrip("/").rpartition("/")[2]
        if self.mode == "refused":
            return 403, {"message": "refused"}
        if self.mode == "busy" and len(self.requests) == 1:
            return self.busy_status, {"message": "busy"}
        if method == "GET":
            return 200, _page(name, 0 if self.mode == "empty" else COUNT)
        return _created(name, body)
