"""HTTP on one connection: uvicorn's protocol with access to the connection for faults, and with strict framing.

The parser refuses most requests that two servers could parse differently. This module refuses the few that it accepts: a
transfer coding other than plain `chunked`, a missing or second `Host`, a body that follows a request for an upgrade.
uvicorn answers a refused request with a 400 and closes the connection. It limits neither the time nor the size of a
request's head, so the stub is for trusted machines only.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import sys
from typing import Any, Literal, cast

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

TRANSPORT = "project_platform_stub.transport"  # the ASGI extension that holds the connection
# A `struct linger` has two shorts on Windows.
_RESET = struct.pack(
    "hh" if sys.platform == "win32" else "ii", 1, 0
)  # SO_LINGER with a timeout of 0: closing drops everything and sends an RST.


def end(transport: asyncio.Transport, how: Literal["close", "reset"]) -> None:
    """End a connection with a FIN (`close`) or with a RST (`reset`)."""
    if how == "close" or transport.is_closing():
        transport.close()
        return
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    transport.abort()


class StubProtocol(HttpToolsProtocol):
    """One HTTP connection."""

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base class
        """Buffer the writes to the connection."""
        super().connection_made(cast("asyncio.Transport", BufferedTransport(transport, self.loop)))
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)  # as newer versions of uvicorn do

    def on_message_begin(self) -> None:
        """Pass the connection to the application."""
        super().on_message_begin()
        self.scope["extensions"] = {TRANSPORT: self.transport}  # type: ignore[dict-item]  # a server may define its own

    def on_headers_complete(self) -> None:
        """Start a request whose framing is clear."""
        self._check_framing()
        super().on_headers_complete()
        if self.parser.should_upgrade() or not self.parser.should_keep_alive():
            self.cycle.keep_alive = False  # After an upgrade the parser stops, and no other protocol is supported.
        self.headers = []  # Trailers must not be read as header fields (RFC 9110 section 6.5.1).

    def shutdown(self) -> None:
        """Close the connection, after the response to a request under way."""
        super().shutdown()
        if not getattr(self.cycle, "response_complete", True):
            # Older versions of uvicorn announce the end only to clients that have asked for it.
            self.cycle.scope["headers"] = [*self.cycle.scope["headers"], (b"connection", b"close")]

    def _check_framing(self) -> None:
        version = self.parser.get_http_version()
        names = [name for name, _ in self.headers]
        hosts = names.count(b"host")
        if version not in {"1.0", "1.1"}:
            raise ValueError(f"version {version}")
        if hosts > 1 or (hosts == 0 and version == "1.1"):  # RFC 9112 section 3.2
            raise ValueError(f"{hosts} Host fields")
        if b"transfer-encoding" in names:
            codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
            if codings != [b"chunked"] or version == "1.0":  # RFC 9112 section 6.1
                raise ValueError("a Transfer-Encoding that is not just chunked, or not in HTTP/1.1")
        if self.parser.should_upgrade() and (b"content-length" in names or b"transfer-encoding" in names):
            raise ValueError("a body after a request for an upgrade")


class BufferedTransport:
    """A transport that buffers writes until the next iteration of the loop, or until the connection ends."""

    def __init__(self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._inner = inner
        self._loop = loop
        self._buffer: list[bytes] = []

    def __getattr__(self, name: str) -> Any:
        """Return another attribute of the transport."""
        return getattr(self._inner, name)

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Buffer data for the next write."""
        if not self._buffer:
            self._loop.call_soon(self._flush)
        self._buffer.append(bytes(data))

    def close(self) -> None:
        """Write the buffer, and close the connection."""
        self._flush()
        self._inner.close()

    def abort(self) -> None:
        """Close the connection at once; the buffer is lost."""
        self._buffer.clear()
        self._inner.abort()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes were not sent yet."""
        return self._inner.get_write_buffer_size() + sum(map(len, self._buffer))

    def _flush(self) -> None:
        if self._buffer:
            data = b"".join(self._buffer)
            self._buffer.clear()
            self._inner.write(data)
