"""A server that books appointments and then answers, or does not."""

from __future__ import annotations

import socket
from collections.abc import Callable

from ..server import Line, Server

BOOKED = b'{"event": {"id": "e1"}}'


class Bookings:
    """A server that records the requests that it received in full, and then follows a script."""

    def __init__(self, serve: Callable[..., Server], then: Callable[[Line], object]) -> None:
        self.heads: list[bytes] = []

        def script(line: Line) -> None:
            while True:
                self.heads.append(line.request()[0])
                then(line)

        self.server = serve(script)
        self.url = f"http://127.0.0.1:{self.server.port}"

    @property
    def arrived(self) -> int:
        return len(self.heads)


def respond(status: str = "201 Created", body: bytes = BOOKED, fields: bytes = b"") -> Callable[[Line], object]:
    head = f"HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\n".encode()
    return lambda line: line.send(head + fields + b"\r\n" + body)


def closed_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]
