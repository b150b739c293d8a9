"""The clients and transports of httpx and httpx2 as types: whichever is installed, type checkers know what is accepted."""

from __future__ import annotations

from typing import Any, Protocol


class HttpxClient(Protocol):
    """An `httpx.Client` or `httpx2.Client`."""

    @property
    def is_closed(self) -> bool:
        """Whether the client is closed."""
        ...

    def send(self, request: Any, *, stream: bool = ..., auth: None = ..., follow_redirects: bool = ...) -> Any:
        """Send a request of the library."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class AsyncHttpxClient(Protocol):
    """An `httpx.AsyncClient` or `httpx2.AsyncClient`."""

    @property
    def is_closed(self) -> bool:
        """Whether the client is closed."""
        ...

    async def send(self, request: Any, *, stream: bool = ..., auth: None = ..., follow_redirects: bool = ...) -> Any:
        """Send a request of the library."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...


class HttpxBaseTransport(Protocol):
    """An `httpx.BaseTransport` or `httpx2.BaseTransport`."""

    def handle_request(self, request: Any) -> Any:
        """Send a request of the library."""
        ...

    def close(self) -> None:
        """Close every connection."""
        ...


class AsyncHttpxBaseTransport(Protocol):
    """An `httpx.AsyncBaseTransport` or `httpx2.AsyncBaseTransport`."""

    async def handle_async_request(self, request: Any) -> Any:
        """Send a request of the library."""
        ...

    async def aclose(self) -> None:
        """Close every connection."""
        ...
