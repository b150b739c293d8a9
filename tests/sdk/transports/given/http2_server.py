"""An HTTP/2 server without TLS that books appointments, and then violates HTTP/2 in one of several ways."""

from __future__ import annotations

import socket
import struct
import threading
from contextlib import suppress
from typing import Self

import h2.config
import h2.connection
import h2.events

BOOKED = b'{"event": {"id": "e1"}}'
ALLOWED = b'{"allowed": true}'

_DATA, _HEADERS, _RST_STREAM, _GOAWAY, _WINDOW_UPDATE = 0, 1, 3, 7, 8  # RFC 9113, section 6
_REFUSED_STREAM = 7
_END_HEADERS = 4


def frame(kind: int, flags: int, stream: int, payload: bytes) -> bytes:
    """Return the bytes of a frame (RFC 9113, section 4.1)."""
    return struct.pack(">I", len(payload))[1:] + bytes([kind, flags]) + struct.pack(">I", stream) + payload


def goaway(last: int) -> bytes:
    """Return a frame that says that streams after the last one were not processed."""
    return frame(_GOAWAY, 0, 0, struct.pack(">II", last, 0))


# What the service does instead of answering a booking, by the number of its stream.
FAULTS = {
    "unreadable headers": lambda stream: frame(_HEADERS, _END_HEADERS, stream, b"\xff\xff\xff\xff\xff"),
    "window update of 0": lambda stream: frame(_WINDOW_UPDATE, 0, stream, bytes(4)),
    "window update of 0 for the connection": lambda stream: frame(_WINDOW_UPDATE, 0, 0, bytes(4)),
    "data on an unopened stream": lambda stream: frame(_DATA, 0, stream + 100, b"x"),
    "goaway before the booking": lambda stream: goaway(max(stream - 2, 0)),
    "goaway after the booking": goaway,
    "refused stream": lambda stream: frame(_RST_STREAM, 0, stream, struct.pack(">I", _REFUSED_STREAM)),
    "end": lambda stream: b"",
}


class Http2Server:
    """Answers reads, books each POST and then commits a fault; closes the connection a little later."""

    def __init__(self, fault: str) -> None:
        self.bookings = 0
        self._fault = FAULTS[fault]
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.url = f"http://127.0.0.1:{self._listener.getsockname()[1]}"

    def __enter__(self) -> Self:
        threading.Thread(target=self._accept, daemon=True).start()
        return self

    def __exit__(self, *error: object) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                threading.Thread(target=self._serve, args=(sock,), daemon=True).start()

    def _serve(self, sock: socket.socket) -> None:
        connection = h2.connection.H2Connection(h2.config.H2Configuration(client_side=False, header_encoding="utf-8"))
        connection.initiate_connection()
        methods: dict[int, str] = {}
        with suppress(OSError), sock:
            sock.sendall(connection.data_to_send())
            while data := sock.recv(65536):
                for event in connection.receive_data(data):
                    if isinstance(event, h2.events.RequestReceived):
                        methods[event.stream_id] = dict(event.headers)[":method"]
                    if not isinstance(event, h2.events.StreamEnded):
                        continue
                    if methods[event.stream_id] == "POST":
                        self.bookings += 1
                        sock.sendall(self._fault(event.stream_id))
                        sock.shutdown(socket.SHUT_WR)
                    else:
                        fields = [(":status", "200"), ("content-type", "application/json")]
                        connection.send_headers(event.stream_id, fields)
                        connection.send_data(event.stream_id, ALLOWED, end_stream=True)
                sock.sendall(connection.data_to_send())
