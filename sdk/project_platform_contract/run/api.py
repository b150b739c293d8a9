"""Calls on the wire, named by operation: what the rules of the suite are proven with."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from typing import Any, NamedTuple
from urllib.parse import quote

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import Operation, operation_of, operations
from project_platform_contract.schema import answer_problem

_OPERATIONS = {operation.id: operation for operation in operations()}
_SHOWN = 2000  # Bytes of a body that a report tells.


class Exchange:
    """A request and its answer, as they are told in a report; credentials are left out."""

    def __init__(self, response: httpx.Response) -> None:
        self.at = datetime.now(UTC)
        self.request = response.request
        self.response = response

    def as_json(self) -> dict[str, Any]:
        """Return what a report tells."""
        return {
            "at": self.at.isoformat(timespec="milliseconds"),
            "request": f"{self.request.method} {self.request.url}",
            "sent": _text(self.request.content),
            "status": self.response.status_code,
            "received": _text(self.response.content),
            "request_id": self.response.headers.get("X-Request-Id"),
        }


class Nonconformity(NamedTuple):
    """An answer that differs from the contract.

    Attributes:
        operation: The operation that was meant, by operationId.
        problem: How the answer differs.
        exchange: The request and the answer.
    """

    operation: str
    problem: str
    exchange: Exchange


class Api:
    """Calls operations as one identity.

    Attributes:
        project: The project that is meant where a call names no other.
        exchanges: The latest requests with their answers.
        nonconformities: Answers that differ from the contract.
    """

    def __init__(
        self,
        client: httpx.Client,
        project: str,
        exchanges: list[Exchange],
        nonconformities: list[Nonconformity],
    ) -> None:
        self.client = client
        self.project = project
        self.exchanges = exchanges
        self.nonconformities = nonconformities

    def __call__(
        self, operation: str, /, *, json: Any = None, query: Mapping[str, Any] | None = None, **path: str
    ) -> httpx.Response:
        """Return the answer to a call.

        Args:
            operation: Its operationId.
            json: Body, if it takes one.
            query: Query parameters.
            path: Path parameters by name; `projectId` is the run's project if not given. Each is one percent-encoded segment.
        """
        body = {} if json is None else {"json": json}
        return self.request(_OPERATIONS[operation].method, self.path(operation, **path), params=query, **body)

    def path(self, operation: str, /, **path: str) -> str:
        """Return the path of a call."""
        filled = {name: quote(value, safe="") for name, value in {"projectId": self.project, **path}.items()}
        return _OPERATIONS[operation].path.format(**filled)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Return the answer to any request.

        Raises:
            MissingError: There were too many requests, so the answer says nothing of this one.
        """
        response = self.client.request(method, path, **options)
        exchange = Exchange(response)
        self.exchanges.append(exchange)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise MissingError("the deployment answered 429, there were too many requests: try again at a slower pace")
        prefix = self.client.base_url.raw_path.decode("ascii").rstrip("/")
        raw_path = response.request.url.raw_path.decode("ascii").partition("?")[0].removeprefix(prefix)
        operation = operation_of(method, raw_path)
        if operation is not None and (problem := _problem(operation, response)):
            self.nonconformities.append(Nonconformity(operation.id, problem, exchange))
        return response


def _problem(operation: Operation, response: httpx.Response) -> str | None:
    media_type = response.headers.get("Content-Type", "").partition(";")[0].strip().lower()
    value = None
    if media_type == "application/json":
        try:
            value = json.loads(response.content)
        except (ValueError, RecursionError):
            return f"status {response.status_code}: the body is no JSON"
    return answer_problem(operation, response.status_code, media_type, value)


def _text(content: bytes) -> str:
    """Return the beginning of a body as text."""
    return content[:_SHOWN].decode("utf-8", "replace")


SignIn = Callable[[str | None], Api]
"""Returns an `Api` for an identity of the data file, or for a caller without a token (None)."""

Fact = Callable[[str, Any, httpx.Response], None]
"""Records a key, what was seen, and the answer in which it was seen."""
