"""A socket server that runs a script on every connection, one thread per connection."""

from __future__ import annotations

import socket
import ssl
import struct
import threading
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field

PATIENT = 20.0  # maximum number of seconds that a test waits for an event
OK = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


class ClosedError(Exception):
    """The client has closed the connection."""


class Line:
    """The server's end of one connection."""

    def __init__(self, sock: socket.socket, number: int) -> None:
        self.sock = sock
        self.number = number
        self._read = b""

    def request(self) -> tuple[bytes, bytes]:
        while b"\r\n\r\n" not in self._read:
            self._more()
        head, _, self._read = self._read.partition(b"\r\n\r\n")
        length = next(
            (int(line[15:]) for line in head.lower().split(b"\r\n") if line.startswith(b"content-length:")), 0
        )
        while len(self._read) < length:
            self._more()
        body, self._read = self._read[:length], self._read[length:]
        return head, body

    def _more(self) -> None:
        data = self.sock.recv(65536)
        if not data:
            raise ClosedError
        self._read += data

    def send(self, data: bytes) -> None:
        self.sock.sendall(data)

    def reset(self) -> None:
        self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.sock.close()

    def until_closed(self) -> None:
        """Wait until the client closes the connection."""
        with suppress(ConnectionError):
            while self.sock.recv(65536):
                pass
        raise ClosedError


def serve_ok(line: Line) -> None:
    while True:
        line.request()
        line.send(OK)


def echo(line: Line) -> None:
    while True:
        _, body = line.request()
        # At once: the proxy of these tests forwards what one read returns.
        line.send(b"HTTP/1.1 200 OK\r\ncontent-length: %d\r\n\r\n%s" % (len(body), body))


@contextmanager
def dead_address() -> Iterator[tuple[str, int]]:
    """Yield an address that answers no connection: its backlog is full."""
    with ExitStack() as stack:
        listener = stack.enter_context(socket.socket())
        listener.bind(("127.0.0.1", 0))
        listener.listen(0)
        for _ in range(3):
            waiting = stack.enter_context(socket.socket())
            waiting.setblocking(False)
            waiting.connect_ex(listener.getsockname())
        yield listener.getsockname()


@dataclass
class Server:
    """A socket server that runs a script on every connection."""

    script: Callable[[Line], None] = serve_ok
    tls: ssl.SSLContext | None = None
    opened: int = 0
    ended: threading.Semaphore = field(default_factory=lambda: threading.Semaphore(0))

    def __post_init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.port = self._listener.getsockname()[1]
        self._socks: list[socket.socket] = []
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def url(self) -> str:
        return f"{'https' if self.tls else 'http'}://{'localhost' if self.tls else '127.0.0.1'}:{self.port}/things?a=1"

    def wait_for_an_end(self) -> None:
        assert self.ended.acquire(timeout=PATIENT), "no connection ended"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                sock, _ = self._listener.accept()
                # A response in two parts would wait 40 ms for the acknowledgement of the first.
                sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
                self._socks.append(sock)
                self.opened += 1
                threading.Thread(target=self._run, args=(sock, self.opened), daemon=True).start()

    def _run(self, sock: socket.socket, number: int) -> None:
        try:
            if self.tls:
                sock = self.tls.wrap_socket(sock, server_side=True)
            self.script(Line(sock, number))
        except (ClosedError, OSError):
            pass
        finally:
            sock.close()
            self.ended.release()

    def stop(self) -> None:
        with suppress(OSError):
            self._listener.shutdown(socket.SHUT_RDWR)
        self._listener.close()
        for sock in self._socks:
            with suppress(OSError):
                sock.shutdown(socket.SHUT_RDWR)
            sock.close()
