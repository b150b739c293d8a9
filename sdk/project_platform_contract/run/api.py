"""HTTP calls by operationId, with which the tests prove the rules."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

import httpx

from project_platform_contract.fuse.backup import RESTORED_OPERATIONS
from project_platform_contract.media_types import is_json, media_type_of
from project_platform_contract.operations import Operation, operation_below, operation_by_id
from project_platform_contract.request_schema import breaks
from project_platform_contract.schema import response_problem

from .conclusive import InconclusiveError, Repeat
from .credentials import ACCEPTED
from .exchange import Exchange, Nonconformity

if TYPE_CHECKING:
    from .contract_run import Run

MAX_RECEIVED: Final = 64 * 1024 * 1024
"""Maximum size in bytes of all response bodies of one test, which are kept until it ends."""

TAG: Final = re.compile(r"contract-\d{8}-\d{6}-[0-9a-f]{4}")
"""The tag of a run in a text."""


class Api:
    """Calls operations as one identity, or without a token (None).

    A response that proves nothing about the service never reaches a test: a read is repeated, and the rule of a write is
    not run. `conclusive.py` decides which responses those are.

    Attributes:
        project: Identifier of the default project.
        permission_parameter: Name of the parameter of a permission check, if the data file states it.
        exchanges: All requests of the test with their responses.
        nonconformities: Responses that violate the contract.
    """

    def __init__(
        self,
        run: Run,
        client: httpx.Client,
        identity: str | None,
        exchanges: list[Exchange],
        nonconformities: list[Nonconformity],
    ) -> None:
        self._run = run
        self.client = client
        self.project: str = run.data["project"]
        self.identity = identity
        self.permission_parameter: str | None = run.data.values.get("permission_parameter")
        self.exchanges = exchanges
        self.nonconformities = nonconformities

    def __call__(
        self,
        operation: str,
        /,
        *,
        json: Any = None,
        query: Mapping[str, Any] | None = None,
        headers: Mapping[str, str] | None = None,
        **path: str,
    ) -> httpx.Response:
        """Call an operation and return the response.

        Path parameters are encoded as one segment each; `projectId` defaults to the project of the run. Header fields replace
        those of the client.

        Raises:
            InconclusiveError: There is no response that proves something.
        """
        body = {} if json is None else {"json": json}
        return self.request(
            operation_by_id(operation).method, self.path(operation, **path), params=query, headers=headers, **body
        )

    def restore(self, operation: str, /, *, json: Any, **path: str) -> httpx.Response:
        """Same as a call, but repeated like a read: restoring an earlier value twice is as good as once."""
        return self.request(
            operation_by_id(operation).method, self.path(operation, **path), repeat=Repeat.ALWAYS, json=json
        )

    def path(self, operation: str, /, **path: str) -> str:
        """Return the path of a call, with its parameters filled in and percent-encoded."""
        filled = {name: quote(value, safe="") for name, value in {"projectId": self.project, **path}.items()}
        return operation_by_id(operation).path.format(**filled)

    def request(self, method: str, path: str, *, repeat: Repeat | None = None, **options: Any) -> httpx.Response:
        """Send a request, and record the exchange and whether the response conforms to the contract.

        The options are those of `httpx.Client.request`. Without `repeat`, the request decides when it may be repeated.

        Raises:
            DownError: The operation is down, so nothing is sent.
            InconclusiveError: There is no response that proves something.
        """
        request = self.client.build_request(method, path, **options)
        operation = operation_below(self.client.base_url, request)
        id = None if operation is None else operation.id
        if id is not None:
            self._run.gate(id)
        repeat = repeat or self._repeat(operation, request, options)

        def send() -> httpx.Response:
            self._run.calendar_lag.before(id)
            response = self.client.request(method, path, **options)
            self._run.calendar_lag.after(id)
            self.exchanges.append(exchange := Exchange(response, id, self.identity, self._run.data))
            if method == "POST" and response.is_success and not exchange.reads:
                self._run.created.append(exchange)
            if repeat is Repeat.ALWAYS and self._received() > MAX_RECEIVED:  # what a write created must be seen
                raise InconclusiveError(f"the responses of this test have more than {MAX_RECEIVED >> 20} MiB")
            return response

        def conclusive() -> httpx.Response:
            return self._run.conclusive.response(send, None if operation is None else operation.id, repeat)

        with self._run.unknown_fates.guard(request, None if operation is None else operation.effect):
            response = conclusive()
            if response.status_code == httpx.codes.UNAUTHORIZED and self._renew():
                response = conclusive()
        if operation is not None and (problem := _problem(operation, response)):
            exchange = next(exchange for exchange in self.exchanges if exchange.response is response)
            self.nonconformities.append(Nonconformity(operation.id, problem, exchange))
        if repeat is not Repeat.ALWAYS or options.get("json") == {}:  # without fields, an update reads
            self._refuse_another_run(operation, response)
        return response

    def _received(self) -> int:
        return sum(len(exchange.response.content) for exchange in self.exchanges)

    def _repeat(self, operation: Operation | None, request: httpx.Request, options: Mapping[str, Any]) -> Repeat:
        if request.method == "GET" or (operation is not None and operation.effect == "read"):
            return Repeat.ALWAYS
        if operation is None:
            return Repeat.NEVER
        # No resource has the tag in its path, and only an accepted identity may write.
        refused = self._run.tag in request.url.path or self.identity not in ACCEPTED
        return (
            Repeat.FAILURE if refused or operation.effect == "write" or breaks(operation.id, options) else Repeat.NEVER
        )

    def _renew(self) -> bool:
        """Use a renewed token if the service no longer accepts the one of the identity, and return whether it was renewed."""
        if self.identity not in ACCEPTED:
            return False
        sent = self.client.headers["Authorization"].removeprefix("Bearer ")
        token = self._run.credentials.after_unauthorized(self.identity, sent)
        if token is not None:
            self.client.headers["Authorization"] = f"Bearer {token}"
        return token is not None

    def _refuse_another_run(self, operation: Operation | None, response: httpx.Response) -> None:
        """Raise if a thing that every run changes has the tag of another run: then both change it at the same time."""
        if operation is None or operation.id not in RESTORED_OPERATIONS:
            return
        others = set(TAG.findall(response.text)) - {self._run.tag}
        if others:
            raise InconclusiveError(
                f"{RESTORED_OPERATIONS[operation.id]} contains the tag of another run, {min(others)}"
            )


def _problem(operation: Operation, response: httpx.Response) -> str | None:
    media_type = media_type_of(response)
    value = None
    if is_json(media_type):
        try:
            # RFC 8259 section 8.1: in UTF-8, without a byte order mark; bytes would be decoded whatever they are.
            value = json.loads(response.content.decode())
        except (ValueError, RecursionError):
            return f"status {response.status_code}: the body is not JSON"
    return response_problem(operation, response.status_code, media_type, value)


SignIn = Callable[[str | None], Api]
"""Returns an `Api` for an identity of the data file, or without a token (None)."""

Fact = Callable[[str, Any, httpx.Response], None]
"""Records a fact: its key, the observed value, and the response that shows it."""
