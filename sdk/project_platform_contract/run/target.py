"""The target of a run: a deployment, or the stub in process or on a socket.

Its transport has limits that hold for any server: the time of a whole request, and the size of its response. A timeout of httpx
limits the wait for the next bytes only, so a server that sends one byte a second would never end; and httpx decompresses a body
without a limit.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

import httpx

from project_platform import errors
from project_platform.calls.operation import Request, Timeout
from project_platform.transports.pool import ConnectionTransport
from project_platform_contract.data.data_file import Data, MissingError

if TYPE_CHECKING:
    from project_platform_stub import Invitation, Project, Stub


MAX_BODY: Final = 16 * 1024 * 1024
"""Maximum size of a response body in bytes, as received and as decompressed. A label sheet has less than one megabyte."""

_CONNECT: Final = 5.0  # Seconds, as in httpx and the SDK.
# The connection adds the first two, and the body is decompressed here.
_NOT_SENT: Final = frozenset({"host", "content-length", "transfer-encoding"})
_DECODED: Final = frozenset({"content-encoding", "content-length", "transfer-encoding"})


class BoundedTransport(httpx.BaseTransport):
    """Sends each request within the read timeout of its client, from connecting to the last byte of the response."""

    def __init__(self, tls_context: Callable[[], ssl.SSLContext]) -> None:
        self._connections = ConnectionTransport(tls_context)

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the response, which has been read.

        Raises:
            httpx.TransportError: There was no complete response in time, or its body was too large.
        """
        total = request.extensions["timeout"]["read"]
        headers = {name: value for name, value in request.headers.items() if name.lower() not in _NOT_SENT}
        outcome = self._connections.send(
            Request(
                request.method,
                str(request.url),
                headers,
                request.read(),
                Timeout(min(_CONNECT, total), total, total, total, total),
                max_response_bytes=MAX_BODY,
            )
        )
        if isinstance(outcome, errors.TransportError):
            raise _error(outcome, total, request)
        if outcome.too_large:
            raise httpx.ReadError(f"the response body has more than {MAX_BODY >> 20} MiB", request=request)
        if not outcome.complete:
            raise httpx.ReadError(f"the response body was incomplete or took more than {total:g} s", request=request)
        received = [
            (name.encode("latin-1"), value.encode("latin-1"))
            for name, value in outcome.headers.items()
            if name not in _DECODED
        ]
        return httpx.Response(outcome.status, headers=received, content=outcome.body, request=request)

    def close(self) -> None:
        """Close every connection."""
        self._connections.close()


def _error(error: errors.TransportError, total: float, request: httpx.Request) -> httpx.TransportError:
    if isinstance(error, errors.NotSentError):
        return httpx.ConnectError(str(error), request=request)
    if isinstance(error, errors.TimeoutError):
        return httpx.ReadTimeout(f"no complete response within {total:g} s", request=request)
    return httpx.ReadError(str(error), request=request)


TIMEOUT: Final = 30.0
"""Default number of seconds for a whole request; a label export may take a while."""

Kind: TypeAlias = Literal["in-process", "socket", "deployment"]


@dataclass(frozen=True, slots=True)
class Target:
    """The target of the requests.

    Attributes:
        stub: The stub, if the target is a stub in this process; else None.
        in_process: Whether requests reach the stub without a socket.
    """

    base_url: str
    data: Data
    stub: Stub | None = None
    in_process: bool = False

    def transport(self) -> httpx.BaseTransport:
        """Return a transport to the target that limits time and size, verifies certificates and uses no proxy."""
        if self.in_process and self.stub is not None:
            return self.stub.transport()
        return BoundedTransport(_certificates)

    def outbox(self) -> Sequence[Invitation]:
        """Return the invitations that the stub has sent to attendees.

        Raises:
            MissingError: The target is a deployment.
        """
        return self._stub_that_shows("an invitation").outbox

    def stub_project(self, fact: str) -> Project:
        """Return the stub's project, for a fact that no operation shows.

        Raises:
            MissingError: The target is a deployment.
        """
        return self._stub_that_shows(fact).project

    def _stub_that_shows(self, fact: str) -> Stub:
        if self.stub is None:
            raise MissingError(f"no operation shows {fact}; only a stub does")
        return self.stub


@cache
def _certificates() -> ssl.SSLContext:
    """Return the TLS context, cached because its creation takes longer than a request."""
    # trust_env adds the certificates of SSL_CERT_FILE, and nothing else.
    return httpx.create_ssl_context(verify=True, trust_env=True)


@contextmanager
def stub_target(how: Kind) -> Iterator[Target]:
    """Create a stub, and yield it as a target, in process or on a socket."""
    from project_platform_contract.data.stub_data import stub_data
    from project_platform_stub import Stub

    stub = Stub()
    if how == "in-process":
        yield Target("http://stub.localhost", stub_data(stub), stub, in_process=True)
        return
    with stub.serve() as server:
        yield Target(server.base_url, stub_data(stub), stub)
