"""A proxy for tests, written from RFC 9110 and RFC 1928: it forwards requests, opens tunnels, and speaks SOCKS5."""

from __future__ import annotations

import base64
import socket
import ssl
import threading
from contextlib import suppress
from dataclasses import dataclass, field

from .server import PATIENT, ClosedError, Line, Server

USER, PASSWORD = "me", "p@ss:word"
BASIC = b"Proxy-Authorization: Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode())


@dataclass
class ProxyServer:
    """A proxy that connects every host name to one service.

    Attributes:
        service: The service.
        scheme: `http`, `https` or `socks5`.
        tls: The TLS context of an https proxy.
        reply: What is sent in place of the response to CONNECT, or of SOCKS5's last reply; None to connect.
        heads: The head of each request to an http proxy, or the target of each SOCKS5 connection.
    """

    service: Server
    scheme: str = "http"
    tls: ssl.SSLContext | None = None
    reply: bytes | None = None
    heads: list[bytes] = field(default_factory=list)

    def __post_init__(self) -> None:
        self._server = Server(self._serve_socks if self.scheme == "socks5" else self._serve_http, tls=self.tls)

    @property
    def url(self) -> str:
        """The URL of the proxy, with the user name and the password."""
        host = "localhost" if self.tls else "127.0.0.1"
        return f"{self.scheme}://{USER}:p%40ss%3Aword@{host}:{self._server.port}"

    @property
    def opened(self) -> int:
        return self._server.opened

    def stop(self) -> None:
        self._server.stop()

    def _serve_http(self, line: Line) -> None:
        while True:
            head, body = line.request()
            self.heads.append(head)
            if head.startswith(b"CONNECT "):
                if self.reply is not None:
                    line.send(self.reply)
                    return
                line.send(b"HTTP/1.1 200 Connection established\r\n\r\n")
                self._relay(line.sock)
            method, target, rest = head.split(b" ", 2)
            path = b"/" + target.split(b"/", 3)[3]
            with self._connected() as service:
                service.sendall(method + b" " + path + b" " + rest + b"\r\n\r\n" + body)
                response = service.recv(65536)
                if not response:
                    return
                line.send(response)

    def _serve_socks(self, line: Line) -> None:
        peer = line.sock
        _, count = _exactly(peer, 2)
        assert 2 in _exactly(peer, count)
        peer.sendall(b"\x05\x02")
        _, length = _exactly(peer, 2)
        user = _exactly(peer, length)
        password = _exactly(peer, _exactly(peer, 1)[0])
        right = (user, password) == (USER.encode(), PASSWORD.encode())
        peer.sendall(b"\x01\x00" if right else b"\x01\x01")
        if not right:
            return
        _, _, _, kind = _exactly(peer, 4)
        assert kind == 3, "the name is resolved by the proxy"
        self.heads.append(_exactly(peer, _exactly(peer, 1)[0]) + b":%d" % int.from_bytes(_exactly(peer, 2), "big"))
        if self.reply is not None:
            peer.sendall(self.reply)
            return
        peer.sendall(b"\x05\x00\x00\x03\x04host\x00\x50")
        self._relay(peer)

    def _connected(self) -> socket.socket:
        return socket.create_connection(("127.0.0.1", self.service.port), PATIENT)

    def _relay(self, peer: socket.socket) -> None:
        with self._connected() as service:
            threading.Thread(target=_copy, args=(service, peer), daemon=True).start()
            _copy(peer, service)
        raise ClosedError


def _exactly(peer: socket.socket, count: int) -> bytes:
    data = b""
    while len(data) < count:
        more = peer.recv(count - len(data))
        if not more:
            raise ClosedError
        data += more
    return data


def _copy(source: socket.socket, target: socket.socket) -> None:
    with suppress(OSError):
        while data := source.recv(65536):
            target.sendall(data)
    with suppress(OSError):
        target.shutdown(socket.SHUT_RDWR)
