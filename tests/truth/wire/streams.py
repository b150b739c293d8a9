"""Byte streams of a server: a socket, and TLS over any stream, so that TLS inside TLS is the same code."""

from __future__ import annotations

import contextlib
import functools
import socket
import ssl
import struct
from typing import Final, Protocol

RECEIVED: Final = 65536
ALERT: Final = b"\x15\x03\x03\x00\x02\x02\x28"  # an unencrypted alert, handshake_failure
GARBAGE: Final = b"\x17\x03\x03\x00\x20" + b"\xa5" * 32  # a TLS record that cannot be decrypted


class ClosedError(Exception):
    """The peer closed or reset the connection, or sent nothing for too long."""


class Stream(Protocol):
    """A connection, from the side of the server."""

    def receive(self) -> bytes:
        """Return some bytes; nothing at the end of the stream."""

    def send(self, *pieces: bytes) -> None:
        """Send all bytes at once; over TLS each piece is a record."""

    def send_below(self, data: bytes) -> None:
        """Send bytes on the socket, below any TLS."""

    def close(self) -> None:
        """Close the connection, with TLS's close_notify."""

    def drop(self) -> None:
        """Close the connection without close_notify."""

    def reset(self) -> None:
        """Reset the connection."""


class SocketStream:
    """A plain socket."""

    def __init__(self, connection: socket.socket, patience: float) -> None:
        connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        connection.settimeout(patience)
        self._socket = connection

    def receive(self) -> bytes:
        try:
            return self._socket.recv(RECEIVED)
        except OSError as error:
            raise ClosedError from error

    def send(self, *pieces: bytes) -> None:
        try:
            self._socket.sendall(b"".join(pieces))
        except OSError as error:
            raise ClosedError from error

    def send_below(self, data: bytes) -> None:
        self.send(data)

    def close(self) -> None:
        self._socket.close()

    def drop(self) -> None:
        self.close()

    def reset(self) -> None:
        with contextlib.suppress(OSError):  # the peer may have closed it
            self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self._socket.close()


class TlsStream:
    """TLS over a stream, on memory buffers."""

    def __init__(self, below: Stream, context: ssl.SSLContext) -> None:
        self._below = below
        self._incoming, self._outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
        self._tls = context.wrap_bio(self._incoming, self._outgoing, server_side=True)

    def handshake(self) -> str | None:
        """Shake hands, and return the protocol that was negotiated."""
        self._drive(self._tls.do_handshake)
        return self._tls.selected_alpn_protocol()

    def receive(self) -> bytes:
        try:
            return self._drive(lambda: self._tls.read(RECEIVED)) or b""
        except ssl.SSLZeroReturnError:
            return b""

    def send(self, *pieces: bytes) -> None:
        for piece in pieces:
            if piece:  # OpenSSL writes no empty record
                self._drive(functools.partial(self._tls.write, piece), flush=False)
        self._flush()

    def send_below(self, data: bytes) -> None:
        self._below.send_below(data)

    def close(self) -> None:
        with contextlib.suppress(ssl.SSLError, ClosedError):
            self._tls.unwrap()
        with contextlib.suppress(ClosedError):
            self._flush()
        self._below.close()

    def drop(self) -> None:
        self._below.drop()

    def reset(self) -> None:
        self._below.reset()

    def _drive(self, step, *, flush: bool = True):
        while True:
            try:
                result = step()
            except ssl.SSLWantReadError:
                self._flush()
                received = self._below.receive()
                if not received:
                    raise ClosedError from None
                self._incoming.write(received)
            except ssl.SSLZeroReturnError:
                raise
            except ssl.SSLError as error:
                with contextlib.suppress(ClosedError):
                    self._flush()
                raise ClosedError from error
            else:
                if flush:
                    self._flush()
                return result

    def _flush(self) -> None:
        if self._outgoing.pending:
            self._below.send(self._outgoing.read())
