"""The transport protocols.

A transport turns one `Request` into one `Response`, or into a `TransportError` that it returns and does not raise. It
does not retry, follow redirects or interpret bodies. The default connections are in `pool.py` and `async_pool.py`, the
adapters for the clients and transports of httpx in `httpx_client.py`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ..calls.operation import Request

if TYPE_CHECKING:
    from ..calls.fate import Outcome


@runtime_checkable
class Transport(Protocol):
    """Sends requests for a `Client`."""

    def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one. Must not raise for a failure of the network."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


@runtime_checkable
class AsyncTransport(Protocol):
    """Same as `Transport`, but for an `AsyncClient`."""

    async def send(self, request: Request, /) -> Outcome:
        """Return the response, or the error that prevented one. Must not raise for a failure of the network."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
