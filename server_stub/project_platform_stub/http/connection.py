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
from typing import Literal

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
        """Accept bytes after the last request, as newer versions of uvicorn do."""
        super().connection_made(transport)
        self.parser.set_dangerous_leniencies(lenient_data_after_close=True)

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
