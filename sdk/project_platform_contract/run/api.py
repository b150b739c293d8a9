"""HTTP calls by operationId, with which the tests prove the rules."""

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
_SHOWN = 2000  # Maximum number of bytes of a body in a report.


class Exchange:
    """A request and its response; reports contain them without headers."""

    def __init__(self, response: httpx.Response) -> None:
        self.at = datetime.now(UTC)
        self.request = response.request
        self.response = response

    def as_json(self) -> dict[str, Any]:
        """Return the exchange as an entry of a report."""
        return {
            "at": self.at.isoformat(timespec="milliseconds"),
            "request": f"{self.request.method} {self.request.url}",
            "sent": _text(self.request.content),
            "status": self.response.status_code,
            "received": _text(self.response.content),
            "request_id": self.response.headers.get("X-Request-Id"),
        }


class Nonconformity(NamedTuple):
    """A response that violates the contract.

    Attributes:
        operation: The operationId.
        problem: How the response violates the contract.
        exchange: The request and the response.
    """

    operation: str
    problem: str
    exchange: Exchange


class Api:
    """Calls operations as one identity.

    Attributes:
        project: Identifier of the default project.
        exchanges: All requests of the test with their responses.
        nonconformities: Responses that violate the contract.
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
        """Call an operation and return the response.

        Args:
            operation: The operationId.
            json: Body; None sends none.
            query: Query parameters.
            path: Path parameters by name, each encoded as one segment; `projectId` defaults to the project of the run.
        """
        body = {} if json is None else {"json": json}
        return self.request(_OPERATIONS[operation].method, self.path(operation, **path), params=query, **body)

    def path(self, operation: str, /, **path: str) -> str:
        """Return the path of a call, with its parameters filled in and percent-encoded."""
        filled = {name: quote(value, safe="") for name, value in {"projectId": self.project, **path}.items()}
        return _OPERATIONS[operation].path.format(**filled)

    def request(self, method: str, path: str, **options: Any) -> httpx.Response:
        """Send a request, and record the exchange and whether the response conforms to the contract.

        Raises:
            MissingError: The status is 429, so the response proves nothing about this request.
        """
        response = self.client.request(method, path, **options)
        exchange = Exchange(response)
        self.exchanges.append(exchange)
        if response.status_code == httpx.codes.TOO_MANY_REQUESTS:
            raise MissingError("the deployment answered 429 Too Many Requests; use a longer --pace")
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
            return f"status {response.status_code}: the body is not JSON"
    return answer_problem(operation, response.status_code, media_type, value)


def _text(content: bytes) -> str:
    """Return the beginning of a body, decoded as UTF-8."""
    return content[:_SHOWN].decode("utf-8", "replace")


SignIn = Callable[[str | None], Api]
"""Returns an `Api` for an identity of the data file, or without a token (None)."""

Fact = Callable[[str, Any, httpx.Response], None]
"""Records a fact: its key, the observed value, and the response that shows it."""
