"""Request and response as values, independent of the transport."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, Protocol

from .json import write_json

MAX_BODY_BYTES = 1024 * 1024  # The specification states no limit; 1 MiB is nginx's default (client_max_body_size).


@dataclass(frozen=True, slots=True)
class Request:
    """A request.

    Attributes:
        method: Method, in capitals.
        raw_path: Path as it was sent, percent-encoded and without the query.
        query: Query as it was sent, without the question mark.
        headers: Headers by lower-case name; values of a repeated header are joined with commas.
        body: Body, at most one byte more than `MAX_BODY_BYTES`.
    """

    method: str
    raw_path: bytes
    query: bytes = b""
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


@dataclass(frozen=True, slots=True)
class Cut:
    """How a connection ends before the response is complete.

    Attributes:
        how: `close` sends a FIN, `reset` a RST.
        after: Bytes of the body that are sent first, with the `Content-Length` of the complete body; None if nothing is
            sent, not even a status line.
    """

    how: Literal["close", "reset"]
    after: int | None = None


@dataclass(frozen=True, slots=True)
class Response:
    """A response; the transport adds `Content-Length`.

    Attributes:
        status: HTTP status.
        headers: Headers.
        body: Body.
        delay: Seconds that the transport waits before it sends anything, unless the client disconnects first.
        cut: How the connection ends early; None for a complete response.
    """

    status: int
    headers: Mapping[str, str]
    body: bytes
    delay: float = 0.0
    cut: Cut | None = None


def json_response(status: int, value: Any, headers: Mapping[str, str] | None = None) -> Response:
    """Return a response with a JSON body."""
    return Response(status, {"Content-Type": "application/json", **(headers or {})}, write_json(value))


class Handler(Protocol):
    """The interface between a transport and the service."""

    def handle(self, request: Request) -> Response:
        """Return the response to a request. It never raises."""
        ...

    def takes_long(self, request: Request) -> bool:
        """Return whether a request has to be handled in a thread, because it would block an event loop for long."""
        ...


def join_headers(raw: list[tuple[bytes, bytes]]) -> dict[str, str]:
    """Return headers by lower-case name, values of the same name joined with commas (RFC 9110 section 5.3)."""
    headers: dict[str, str] = {}
    for raw_name, raw_value in raw:
        name, value = raw_name.decode("latin-1").lower(), raw_value.decode("latin-1")
        headers[name] = f"{headers[name]}, {value}" if name in headers else value
    return headers
