"""HTTP on one connection, guarded against those who send slowly, without end, or with two meanings.

The parser refuses most of what two servers could read as different requests. What it lets pass is refused here: a
transfer coding other than plain `chunked`, a missing or second `Host`, a body that follows a request for an upgrade.
Whatever is refused is answered in its turn, after the requests that came whole before it, and the connection ends.
"""

from __future__ import annotations

import asyncio
import socket
import struct
import uuid
from collections import deque
from typing import Any, ClassVar, Literal

import httptools
import uvicorn
from uvicorn.protocols.http.httptools_impl import STATUS_LINE, HttpToolsProtocol, RequestResponseCycle
from uvicorn.server import ServerState

from .errors import RefusalError
from .json import write_json
from .limits import Limits
from .write_buffering import GatheringTransport

TRANSPORT = "project_platform_stub.transport"  # the ASGI extension that holds the connection
_LINGER = 1.0  # Seconds in which a client may still read why it was refused.
_RESET = struct.pack("ii", 1, 0)  # SO_LINGER with a timeout of 0: closing drops everything and sends an RST.


def end(transport: asyncio.Transport, how: Literal["close", "reset"]) -> None:
    """End a connection, in order or by a reset."""
    if how == "close" or transport.is_closing():
        transport.close()
        return
    transport.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, _RESET)
    transport.abort()


def guarded(limits: Limits) -> type[HttpToolsProtocol]:
    """Return the class of connections with these limits; the server makes one for each connection."""
    return type("GuardedProtocol", (GuardedProtocol,), {"limits": limits})


class GuardedProtocol(HttpToolsProtocol):
    """One connection."""

    limits: ClassVar[Limits] = Limits()

    def __init__(
        self,
        config: uvicorn.Config,
        server_state: ServerState,
        app_state: dict[str, Any],
        _loop: asyncio.AbstractEventLoop | None = None,
    ) -> None:
        super().__init__(config, server_state, app_state, _loop)
        self._reading: Literal["head", "body"] | None = None
        self._came = 0  # Bytes that are being read now.
        self._unframed = 0  # Bytes that came after those in which a head began, or in which something of a body came.
        self._body_size = 0
        self._unanswered: deque[RequestResponseCycle] = deque()  # The last of them may still be read.
        self._timer: asyncio.TimerHandle | None = None
        self._unread: asyncio.TimerHandle | None = None
        self._deaf = False  # Whether what comes is dropped.
        self._last_words: bytes | None = None

    # The connection

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as in the base class
        """Take a connection, or turn it away if there are too many."""
        super().connection_made(GatheringTransport(transport, self.loop))
        there = len(self.connections)
        if there > 2 * self.limits.connections:
            transport.abort()  # Even an answer would take too much.
        elif there > self.limits.connections:
            self._refuse(RefusalError(503, "There are too many connections.", "too_many_connections"))
        else:
            self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        """Tell all who would still answer."""
        super().connection_lost(exc)
        for timer in (self._timer, self._unread, self.timeout_keep_alive_task):
            if timer is not None:
                timer.cancel()
        for cycle in self._unanswered:
            self._drop(cycle)

    def pause_writing(self) -> None:
        """Wait until the client reads, but not without end."""
        super().pause_writing()
        self._unread = self.loop.call_later(self.limits.unread_seconds, self.transport.abort)

    def resume_writing(self) -> None:
        """Go on."""
        super().resume_writing()
        if self._unread is not None:
            self._unread.cancel()
            self._unread = None

    # What is read

    def data_received(self, data: bytes) -> None:
        """Read what came."""
        if self._deaf:
            return
        self._unset_keepalive_if_required()
        self._came = len(data)
        self._unframed += self._came
        try:
            self.parser.feed_data(data)
        except httptools.HttpParserUpgrade:
            pass  # Nobody here speaks the other protocol: the answer ends the connection.
        except httptools.HttpParserError as error:
            reason = error.__context__
            self._refuse(reason if isinstance(reason, RefusalError) else _no_http(str(error)))
        else:
            if self._reading is not None and self._is_too_large(self._unframed):
                self._refuse(_too_large())
            else:
                self._watch()

    def on_message_begin(self) -> None:
        """A head begins."""
        super().on_message_begin()
        self.scope["extensions"] = {TRANSPORT: self.transport}  # type: ignore[dict-item]  # a server's own to define
        self._reading = "head"
        self._unframed = 0

    def on_headers_complete(self) -> None:
        """A request can be started: its body is read while it runs."""
        self._check_head()
        super().on_headers_complete()
        if self.parser.should_upgrade():
            self.cycle.keep_alive = False
        self._unanswered.append(self.cycle)
        self.headers = []  # What follows a body may not pass for a part of the head (RFC 9110 section 6.5.1).
        self._reading = "body"
        self._unframed = self._body_size = 0
        self._unwatch()

    def on_body(self, body: bytes) -> None:
        """A part of a body came."""
        self._unframed = 0
        self._body_size += len(body)
        if self._body_size > self.limits.body_bytes:
            raise RefusalError(413, f"body: more than {self.limits.body_bytes} bytes", "body_too_large")
        super().on_body(body)

    def on_message_complete(self) -> None:
        """A request is whole."""
        self._reading = None
        self._unwatch()
        super().on_message_complete()

    def _check_head(self) -> None:
        version = self.parser.get_http_version()
        names = [name for name, _ in self.headers]
        hosts = names.count(b"host")
        if version not in {"1.0", "1.1"}:
            raise _no_http(f"version {version}")
        if hosts > 1 or (hosts == 0 and version == "1.1"):  # RFC 9112 section 3.2
            raise _no_http(f"{hosts} Host fields")
        if b"transfer-encoding" in names:
            codings = [value.lower() for name, value in self.headers if name == b"transfer-encoding"]
            if codings != [b"chunked"] or version == "1.0":  # RFC 9112 section 6.1
                raise _no_http("a Transfer-Encoding that is not just chunked, or not in HTTP/1.1")
        if self.parser.should_upgrade() and (b"content-length" in names or b"transfer-encoding" in names):
            raise _no_http("a body after a request for another protocol")
        size = self._came + self._unframed  # At most; it is worth counting only if this is too much.
        if size > self.limits.head_bytes:
            size = len(self.url) + sum([len(name) + len(value) for name, value in self.headers])
        if self._is_too_large(size):
            raise _too_large()
        if len(self._unanswered) > self.limits.waiting:
            raise RefusalError(503, "Too many requests wait on this connection.", "too_many_waiting")

    def _is_too_large(self, size: int) -> bool:
        return size > self.limits.head_bytes or len(self.headers) > self.limits.head_fields

    # Patience

    def _watch(self) -> None:
        """Give what is being read its time, unless it has that already or nothing is due."""
        if self._timer is None and (self._reading is not None or not self._unanswered):
            seconds = self.limits.body_seconds if self._reading == "body" else self.limits.head_seconds
            self._timer = self.loop.call_later(seconds, self._too_slow)

    def _unwatch(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None

    def _too_slow(self) -> None:
        self._timer = None
        if len(self._unanswered) > (self._reading == "body"):
            self._watch()  # It may well be held up by the requests before it.
        else:
            self._refuse(RefusalError(408, "The request did not come in time.", "request_timeout"))

    # What is answered

    def on_response_complete(self) -> None:
        """An answer is sent; the next request has its turn."""
        self._unanswered.popleft()
        super().on_response_complete()
        if self.transport.is_closing():
            if self.transport.get_write_buffer_size():
                self._timer = self.loop.call_later(self.limits.unread_seconds, self.transport.abort)
        elif self._last_words is not None and not self._unanswered:
            self._say_last_words(self._last_words)

    def timeout_keep_alive_handler(self) -> None:
        """Let an idle connection go, with what it has not read."""
        self.transport.abort()

    def _refuse(self, refusal: RefusalError) -> None:
        """Answer what is being read with an error, once the requests before it are answered, and close."""
        self._deaf = True
        self._unwatch()
        self._last_words = self._written(refusal)
        if self._reading == "body":
            self._drop(self._unanswered.pop())
        if not self._unanswered:
            self._say_last_words(self._last_words)

    def _drop(self, cycle: RequestResponseCycle) -> None:
        """Let a request be one whose client has gone."""
        cycle.disconnected = True
        cycle.waiting_for_100_continue = False
        cycle.message_event.set()

    def _say_last_words(self, words: bytes) -> None:
        # RFC 9112 section 9.6: to close at once could make the client lose the answer, so it may read that first.
        self._unset_keepalive_if_required()
        self.flow.resume_reading()
        self.transport.write(words)
        self.transport.write_eof()
        self._timer = self.loop.call_later(_LINGER, self.transport.abort)

    def _written(self, refusal: RefusalError) -> bytes:
        body = write_json(refusal.body)
        fields = [
            *self.server_state.default_headers,
            (b"content-type", b"application/json"),
            (b"content-length", b"%d" % len(body)),
            (b"connection", b"close"),
            (b"x-request-id", f"req_{uuid.uuid4().hex}".encode()),
        ]
        return b"".join([STATUS_LINE[refusal.status], *(b"%b: %b\r\n" % field for field in fields), b"\r\n", body])


def _no_http(problem: str) -> RefusalError:
    return RefusalError(400, f"This is no HTTP/1.1 request: {problem}", "bad_http")


def _too_large() -> RefusalError:
    return RefusalError(431, "The head of the request is too large.", "head_too_large")
