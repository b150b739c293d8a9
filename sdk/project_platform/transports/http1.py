"""HTTP/1.1 as steps. h11 parses and serialises."""

from __future__ import annotations

import contextlib
from typing import Final, TypeAlias

import h11

from .steps import READ_SIZE, Steps, StreamBrokenError

# Bytes of a head, of a chunk header or of trailers; httpcore's limit.
_MAX_HEAD: Final = 100 * 1024
# Bytes of a body from which it is written by itself, and not copied behind the head.
_SEPARATE_BODY: Final = 64 * 1024

_END: Final = h11.EndOfMessage()

_Event: TypeAlias = h11.Event | type[h11.NEED_DATA] | type[h11.PAUSED]


class Http1:
    """The exchanges of one connection, one after the other."""

    __slots__ = ("_connection",)

    def __init__(self) -> None:
        self._connection = h11.Connection(h11.CLIENT, max_incomplete_event_size=_MAX_HEAD)

    def exchange(self, request: h11.Request, body: bytes) -> Steps[h11.Response]:
        """Send a request, and return the head of its answer."""
        connection = self._connection
        head = connection.send(request) or b""
        content = connection.send(h11.Data(body)) or b"" if body else b""
        end = connection.send(_END) or b""
        # A server may refuse a request and close the connection before it has read all of it: its answer is read.
        with contextlib.suppress(StreamBrokenError):
            if len(content) > _SEPARATE_BODY:
                yield memoryview(head)
                yield memoryview(content)
            else:
                yield memoryview(head + content + end)
        while True:
            event = yield from self._next_event()
            if isinstance(event, h11.Response):
                return event
            if not isinstance(event, h11.InformationalResponse) or event.status_code == 101:  # noqa: PLR2004
                raise StreamBrokenError("the answer does not begin with a head")

    def next_chunk(self) -> Steps[bytes | None]:
        """Return the next bytes of the body of the answer, or None at its end."""
        event = yield from self._next_event()
        return bytes(event.data) if isinstance(event, h11.Data) else None

    def received_chunk(self) -> bytes | None:
        """Return what `next_chunk` would if it needs no more bytes, and else b""."""
        event = self._parsed_event()
        if isinstance(event, h11.Data):
            return bytes(event.data)
        return b"" if event is h11.NEED_DATA else None

    def _next_event(self) -> Steps[_Event]:
        while (event := self._parsed_event()) is h11.NEED_DATA:
            data = yield READ_SIZE
            if not data and self._connection.their_state is h11.SEND_RESPONSE:
                raise StreamBrokenError("the server closed it without an answer")
            self._connection.receive_data(data)
        return event

    def _parsed_event(self) -> _Event:
        try:
            return self._connection.next_event()
        except h11.RemoteProtocolError as error:
            # What follows the colon quotes the bytes, which may be part of a body.
            raise StreamBrokenError(str(error).partition(":")[0]) from None

    def start_next(self) -> bool:
        """Prepare for the next request, and return whether there can be one.

        There can be none before the answer was read to its end, and none if the server sent more bytes than that: they
        would be read as the answer to the next request.
        """
        connection = self._connection
        if connection.our_state is not h11.DONE or connection.their_state is not h11.DONE:
            return False
        surplus, _ = connection.trailing_data
        if surplus:
            return False
        connection.start_next_cycle()
        return True
