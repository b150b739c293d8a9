"""Proxies with faults: HTTP (forwarding and CONNECT), the same over TLS, and SOCKS5 with and without a password.

A proxy serves the request, or the tunnel, by the faulty server itself, on the connection of the client: nothing is copied.
Each accepts `CREDENTIALS` or none.
"""

from __future__ import annotations

import base64
import random
from typing import Final

from .certificates import contexts
from .framing import surplus
from .http1 import Http1Connection
from .server import Serve, Server
from .streams import ClosedError, Stream, TlsStream

USER, PASSWORD = "trial", "pass word"
HEAD_END: Final = b"\r\n\r\n"
ESTABLISHED: Final = b"HTTP/1.1 200 Connection established\r\n\r\n"
REFUSED: Final = {
    f"proxy responds with {status}": f"HTTP/1.1 {status} No\r\nContent-Length: 8\r\nConnection: close\r\n\r\na proxy\n".encode()
    for status in (403, 407, 502, 503)
}
GRANTED: Final = b"\x05\x00\x00\x01" + bytes(6)

# What a proxy sends, by fault, and how the connection goes on: "" with the tunnel, "surplus" with other bytes in the tunnel; it ends
# with "cut off" in the middle of the reply, or as in `plans.ENDINGS`.
CONNECT_REPLIES: Final = {
    "": (ESTABLISHED, ""),
    **{fault: (reply, "close") for fault, reply in REFUSED.items()},
    "proxy closes": (b"", "close"),
    "proxy resets": (b"", "reset"),
    "proxy response cut off": (ESTABLISHED, "cut off"),
    "proxy stalls": (b"", "stall"),
    "proxy sends garbage": (b"SSH-2.0-appliance\r\n\r\n", "close"),
    "proxy sends 1xx first": (b"HTTP/1.1 103 Early Hints\r\n\r\n" + ESTABLISHED, ""),
    # RFC 9110 section 9.3.6: the client ignores the length.
    "proxy sends 200 with a length": (ESTABLISHED[:-2] + b"Content-Length: 10\r\n\r\n", ""),
    "proxy sends bytes in the tunnel": (ESTABLISHED, "surplus"),
}
GREETINGS: Final = {
    "socks version 4": b"\x04\x00",
    "socks no method": b"\x05\xff",
    "socks closes at the greeting": b"",
}
SOCKS_REPLIES: Final = {
    "": (GRANTED, ""),
    **{f"socks reply {code}": (b"\x05" + bytes([code]) + GRANTED[2:], "close") for code in range(1, 9)},
    "socks closes at the request": (b"", "close"),
    "socks resets at the request": (b"", "reset"),
    "socks reply cut off": (GRANTED, "cut off"),
    "socks stalls": (b"", "stall"),
    "socks sends garbage": (b"HTTP/1.1 400 Bad Request\r\n\r\n", "close"),
    "socks reply with a name": (b"\x05\x00\x00\x03\x09localhost\x00\x50", ""),
    "socks reply in pieces": (GRANTED, "pieces"),
    "socks sends bytes in the tunnel": (GRANTED, "surplus"),
}
CONNECT_FAULTS: Final = tuple(filter(None, CONNECT_REPLIES))
SOCKS_FAULTS: Final = (*GREETINGS, "socks refuses the password", *filter(None, SOCKS_REPLIES))


class _BufferedStream:
    """A stream that can be read up to a mark. What follows is received by whoever reads it next."""

    def __init__(self, stream: Stream) -> None:
        self._stream, self._buffer = stream, b""

    def __getattr__(self, name: str):
        return getattr(self._stream, name)

    def receive(self) -> bytes:
        buffer, self._buffer = self._buffer, b""
        return buffer or self._stream.receive()

    def take(self, number: int) -> bytes:
        """Return the next `number` bytes."""
        while len(self._buffer) < number:
            self._fill()
        taken, self._buffer = self._buffer[:number], self._buffer[number:]
        return taken

    def peek_head(self) -> bytes:
        """Return the next head of a message, and leave it in place."""
        while HEAD_END not in self._buffer:
            self._fill()
        return self._buffer.partition(HEAD_END)[0] + HEAD_END

    def _fill(self) -> None:
        received = self._stream.receive()
        if not received:
            raise ClosedError
        self._buffer += received


class Proxy:
    """The proxies in front of a server.

    Args:
        server: The server whose requests are carried.
        origin: Serves a connection of the service, such as `server.serve_tls`.
    """

    def __init__(self, server: Server, origin: Serve) -> None:
        self._server, self._origin = server, origin

    def serve_http(self, stream: Stream) -> None:
        buffered = _BufferedStream(stream)
        head = buffered.peek_head()
        if not head.startswith(b"CONNECT "):
            _Forwarding(buffered, self._server, tls=False).serve()
            return
        buffered.take(len(head))
        if b"authorization: bearer" in head.lower():
            self._server.ledger.leaks.append("the token was sent to the proxy")
        if _wrong_credentials(head):
            self._server.ledger.leaks.append("the credentials of the proxy are wrong")
        rng = self._server.random("proxy")
        fault = self._fault(rng, CONNECT_FAULTS)
        with self._server.working():
            open_ = self._reply(*CONNECT_REPLIES[fault], buffered, rng)
        if open_:
            self._origin(buffered)

    def serve_https(self, stream: Stream) -> None:
        tls = TlsStream(stream, contexts().server)
        tls.handshake()
        self.serve_http(tls)

    def serve_socks5(self, stream: Stream) -> None:
        """Serve a connection to a SOCKS5 proxy (RFC 1928, RFC 1929)."""
        buffered = _BufferedStream(stream)
        rng = self._server.random("proxy")
        fault = self._fault(rng, SOCKS_FAULTS)
        version, number = buffered.take(2)
        with self._server.working():
            open_ = self._socks(fault, buffered, buffered.take(number), rng)
        if version == 5 and open_:
            self._origin(buffered)

    def _fault(self, rng: random.Random, faults: tuple[str, ...]) -> str:
        if rng.random() >= self._server.bad * 0.3:
            return ""
        fault = rng.choice(faults)
        self._server.note(fault)
        return fault

    def _reply(self, reply: bytes, goes_on: str, stream: _BufferedStream, rng: random.Random) -> bool:
        """Send a reply of one of the tables; return whether the tunnel is open."""
        match goes_on:
            case "surplus":
                stream.send(reply + surplus(rng))
                return True
            case "cut off":
                stream.send(reply[: rng.randrange(1, len(reply))])
            case "pieces":
                stream.send(reply[:3])
                stream.send(reply[3:])
                return True
            case _:
                stream.send(reply)
        if goes_on:
            self._server.end(stream, goes_on)
        return not goes_on

    def _socks(self, fault: str, stream: _BufferedStream, methods: bytes, rng: random.Random) -> bool:
        """Reply to the greeting and the request; return whether the tunnel is open."""
        method = 2 if 2 in methods else 0
        stream.send(GREETINGS.get(fault, bytes([5, method])))
        if fault in GREETINGS or (method == 2 and not self._is_right_password(fault, stream)):
            stream.close()
            return False
        kind = stream.take(4)[3]
        stream.take({1: 4, 4: 16}.get(kind) or stream.take(1)[0])
        stream.take(2)
        return self._reply(*SOCKS_REPLIES.get(fault, SOCKS_REPLIES[""]), stream, rng)

    def _is_right_password(self, fault: str, stream: _BufferedStream) -> bool:
        user = stream.take(stream.take(2)[1]).decode()
        given = stream.take(stream.take(1)[0]).decode()
        if (user, given) != (USER, PASSWORD):
            self._server.ledger.leaks.append("the credentials of the proxy are wrong")
        right = (user, given) == (USER, PASSWORD) and fault != "socks refuses the password"
        stream.send(b"\x01\x00" if right else b"\x01\x01")
        return right


class _Forwarding(Http1Connection):
    """A connection to a proxy that forwards plain requests and sometimes refuses one itself."""

    def _exchange(self) -> bool:
        rng = self._server.random("proxy")
        if rng.random() >= self._server.bad * 0.1:
            return super()._exchange()
        self._server.note("proxy responds with 407 to a request")
        request = self._head()
        self._body(request)
        self._server.arrived(request)
        self._stream.send(REFUSED["proxy responds with 407"])
        self._stream.close()
        return False


def _wrong_credentials(head: bytes) -> bool:
    """Return whether a head has credentials that are not the right ones."""
    fields = [line.partition(b":") for line in head.split(b"\r\n")]
    given = [value.strip() for name, _, value in fields if name.lower() == b"proxy-authorization"]
    return any(value != b"Basic " + base64.b64encode(f"{USER}:{PASSWORD}".encode()) for value in given)
