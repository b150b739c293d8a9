"""HTTP/1.1 as steps. httptools (llhttp) parses responses; a request is sent as `WireRequest.head` joins it."""

from __future__ import annotations

import contextlib
import re
from typing import Final, NamedTuple

import httptools

from .steps import READ_SIZE, Steps, StreamBrokenError

# Bytes of a head, of a chunk header or of trailers, before the last read; httpcore's limit.
_MAX_HEAD: Final = 100 * 1024
# Bytes of a body from which it is written by itself, and not copied behind the head.
_SEPARATE_BODY: Final = 64 * 1024
_FRAMING: Final = frozenset({b"content-length", b"transfer-encoding"})
_CONTROL: Final = re.compile(rb"[\x00-\x08\x0a-\x1f\x7f]")


class Head(NamedTuple):
    """The status and the header fields of a response."""

    status: int
    fields: list[tuple[bytes, bytes]]


class Http1:
    """The exchanges of one connection, one after the other."""

    def __init__(self) -> None:
        self._parser = httptools.HttpResponseParser(self)
        self._reusable = False
        self._begin()

    def _begin(self) -> None:
        self._bodiless = self._complete = self._ends_with_stream = self._keeps_alive = False
        self._body: list[bytes] = []
        self._fields: list[tuple[bytes, bytes]] = []
        self._head: Head | None = None
        self._problem: str | None = None
        self._silent = 0  # bytes received since the last byte of a body

    # The parser calls the methods `on_...`. It reads on behind a complete response: nothing of that is part of the response.

    def on_message_begin(self) -> None:
        """Begin an informational response or the final one; after that, the server has sent too much."""
        self._keeps_alive = False
        if self._head is None:
            self._fields = []

    def on_status(self, reason: bytes) -> None:
        """Refuse a status line that was cut off and continues with bytes of something else: the parser takes them."""
        if self._head is None and _CONTROL.search(reason):
            self._problem = "Invalid reason phrase"

    def on_header(self, name: bytes, value: bytes) -> None:
        """Add a field of the head. Trailers are ignored."""
        if self._head is None:
            self._fields.append((name, value.rstrip(b" \t")))

    def on_headers_complete(self) -> None:
        """Keep the head of the final response, and choose how its body ends (RFC 9112, section 6.3)."""
        status: int = self._parser.get_status_code()
        if self._head is not None or self._problem is not None or 100 <= status < 200:  # noqa: PLR2004  # RFC 9110, section 15.2
            return
        framing = [field for name, value in self._fields if (field := (name.lower(), value.lower()))[0] in _FRAMING]
        if status < 100:  # noqa: PLR2004
            self._problem = "Invalid status code"
        elif any(name == b"transfer-encoding" for name, _ in framing) and framing != [
            (b"transfer-encoding", b"chunked")
        ]:
            self._problem = "Only Transfer-Encoding: chunked is supported"
        else:
            self._head = Head(status, self._fields)
            self._complete = self._bodiless
            self._ends_with_stream = not framing and status not in {204, 304}

    def on_body(self, data: bytes) -> None:
        """Add bytes of the body."""
        if not self._complete and self._head is not None:
            self._silent = 0
            self._body.append(data)

    def on_message_complete(self) -> None:
        """End the final response."""
        if not self._complete and self._head is not None:
            self._complete, self._keeps_alive = True, self._parser.should_keep_alive()

    def _feed(self, data: bytes) -> None:
        self._reusable = False
        self._silent += len(data)
        try:
            self._parser.feed_data(data)
        except httptools.HttpParserCallbackError as error:
            # Of the methods above only an interruption raises, such as a KeyboardInterrupt.
            raise error.__context__ or error from None
        except (httptools.HttpParserError, httptools.HttpParserUpgrade) as error:
            self._keeps_alive = False
            upgrade = isinstance(error, httptools.HttpParserUpgrade)
            self._problem = self._problem or ("the server switched to another protocol" if upgrade else str(error))
        if self._silent > _MAX_HEAD + READ_SIZE:
            self._problem = self._problem or "the head, a chunk header or the trailers are too long"
        self._reusable = self._complete and self._keeps_alive

    def exchange(self, head: memoryview, body: bytes) -> Steps[Head]:
        """Send a request, and return the head of its response."""
        self._begin()
        self._bodiless = head[:5].tobytes() == b"HEAD "
        # A server may refuse a request and close the connection before it has read all of it: its response is read.
        with contextlib.suppress(StreamBrokenError):
            if len(body) > _SEPARATE_BODY:
                yield head
                yield memoryview(body)
            else:
                yield memoryview(b"".join((head, body)))
        while self._head is None:
            if self._problem is not None:
                raise StreamBrokenError(self._problem)
            data = yield READ_SIZE
            if not data:
                raise StreamBrokenError("the server closed it without a response")
            if not self._silent and not data.startswith(b"H"):  # the parser also takes RTSP/1.0, and an empty line
                self._problem = "the response does not begin with a head"
            else:
                self._feed(data)
        return self._head

    def next_chunk(self) -> Steps[bytes | None]:
        """Return the next bytes of the body of the response, or None at its end."""
        while (chunk := self.received_chunk()) == b"":
            data = yield READ_SIZE
            if data:
                self._feed(data)
            elif self._ends_with_stream:
                self._complete = True
            else:
                raise StreamBrokenError("the server closed it before the end of the body")
        return chunk

    def received_chunk(self) -> bytes | None:
        """Return what `next_chunk` would if it needs no more bytes, and else b""."""
        if self._body:
            chunk = b"".join(self._body)
            self._body.clear()
            return chunk
        if self._complete:
            return None
        if self._problem is not None:
            raise StreamBrokenError(self._problem)
        return b""

    def start_next(self) -> bool:
        """Return whether there can be another request, and expect it.

        There can be none before the response was read to its end, and none if the server sent more bytes than that: they
        would be read as the response to the next request.
        """
        reusable, self._reusable = self._reusable, False
        return reusable and not self._body
