"""Streams for threads: a socket, and TLS on any stream."""

from __future__ import annotations

import errno
import os
import select
import selectors
import socket
import sys
import threading
from typing import TYPE_CHECKING, Any, Final, Protocol

from .addresses import HAPPY_EYEBALLS_DELAY, Address, alternate_families, lookup, numeric
from .steps import NoConnectionError, Steps, StreamBrokenError, StreamTimeoutError, T
from .tls import Tls

if TYPE_CHECKING:
    import ssl
    from collections.abc import Sequence

    from .deadline import Deadline

_NO_LIMIT: Final = float("inf")
_IN_PROGRESS: Final = frozenset({0, errno.EINPROGRESS, errno.EWOULDBLOCK})


class Stream(Protocol):
    """Bytes in both directions. Each read and write takes at most what is left of the deadline."""

    def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        ...

    def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes."""
        ...

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        ...

    def close(self) -> None:
        """Close the connection."""
        ...


def perform(steps: Steps[T], stream: Stream, deadline: Deadline) -> T:
    """Carry steps out on a stream, and return their result."""
    try:
        step = next(steps)
        while True:
            try:
                if isinstance(step, int):
                    data = stream.read(step, deadline)
                else:
                    stream.write(step, deadline)
                    data = b""
            except StreamBrokenError as error:
                step = steps.throw(error)
            else:
                step = steps.send(data)
    except StopIteration as done:
        result: T = done.value
        return result


class SocketStream:
    """A connected socket."""

    __slots__ = ("_seconds", "_socket")

    def __init__(self, connected: socket.socket) -> None:
        self._socket = connected
        self._seconds: float | None = None  # timeout of the socket; most steps have the same
        connected.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)

    def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        try:
            self._limit(deadline.left(deadline.read))
            return self._socket.recv(max_bytes)
        except TimeoutError:
            raise StreamTimeoutError("no response in time") from None
        except OSError as error:
            raise StreamBrokenError(error.strerror or type(error).__name__) from error

    def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes."""
        rest = data
        try:
            while rest:
                self._limit(deadline.left(deadline.write))
                rest = rest[self._socket.send(rest) :]
        except TimeoutError:
            raise StreamTimeoutError("the request could not be written in time") from None
        except OSError as error:
            raise StreamBrokenError(error.strerror or type(error).__name__) from error

    def _limit(self, seconds: float) -> None:
        if seconds != self._seconds:
            self._socket.settimeout(seconds)
            self._seconds = seconds

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        return is_readable(self._socket)

    def close(self) -> None:
        """Close the socket."""
        self._socket.close()


class TlsStream:
    """TLS on a stream: a socket, or TLS to a proxy."""

    __slots__ = ("_inner", "_tls")

    def __init__(self, inner: Stream, context: ssl.SSLContext, host: str, deadline: Deadline) -> None:
        self._inner, self._tls = inner, Tls(context, host)
        perform(self._tls.handshake(), inner, deadline)

    def read(self, max_bytes: int, deadline: Deadline) -> bytes:
        """Return the next bytes; b"" once the peer has closed its side."""
        return perform(self._tls.read(max_bytes), self._inner, deadline)

    def write(self, data: memoryview, deadline: Deadline) -> None:
        """Write all bytes."""
        perform(self._tls.write(data), self._inner, deadline)

    def has_unread(self) -> bool:
        """Return whether bytes, or the end of the stream, were received and not read."""
        return self._tls.has_unread() or self._inner.has_unread()

    def close(self) -> None:
        """Close the connection, without the alert that ends TLS."""
        self._inner.close()


if sys.platform == "win32":  # there is no poll, and select has no limit on the number of a descriptor

    def _is_ready(descriptor: int) -> bool:
        return bool(select.select([descriptor], [], [], 0)[0])

else:

    def _is_ready(descriptor: int) -> bool:
        poll = select.poll()
        poll.register(descriptor, select.POLLIN)
        return bool(poll.poll(0))


def is_readable(connected: Any) -> bool:
    """Return whether a read from a socket would not wait, or the socket is closed."""
    descriptor: int = connected.fileno()
    return descriptor < 0 or _is_ready(descriptor)


def connect(host: str, port: int, deadline: Deadline) -> SocketStream:
    """Connect to the first address of a host that accepts; all of them share one deadline (RFC 8305)."""
    waiting = alternate_families(_resolve(host, port, deadline))
    failure: OSError | None = None
    with selectors.DefaultSelector() as selector:
        try:
            while waiting or selector.get_map():
                if waiting:
                    failure = _begin(waiting.pop(0), selector) or failure
                wait = deadline.left(HAPPY_EYEBALLS_DELAY if waiting else _NO_LIMIT)
                for key, _ in selector.select(wait) if selector.get_map() else ():
                    connecting: Any = key.fileobj
                    selector.unregister(connecting)
                    code = connecting.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR)
                    if not code:
                        return SocketStream(connecting)
                    connecting.close()
                    failure = OSError(code, os.strerror(code))
        finally:
            for key in list(selector.get_map().values()):
                key.fileobj.close()  # type: ignore[union-attr]  # a socket
    raise NoConnectionError(failure.strerror if failure is not None and failure.strerror else "the host has no address")


def _begin(address: Address, selector: selectors.BaseSelector) -> OSError | None:
    """Begin to connect to an address, and return why that is not possible."""
    family, kind, protocol, _, where = address
    try:
        connecting = socket.socket(family, kind, protocol)
    except OSError as error:  # such as an IPv6 address on a machine without IPv6
        return error
    connecting.setblocking(False)
    code = connecting.connect_ex(where)
    if code not in _IN_PROGRESS:  # such as an unreachable network, which SO_ERROR would not repeat
        connecting.close()
        return OSError(code, os.strerror(code))
    selector.register(connecting, selectors.EVENT_WRITE)
    return None


def _resolve(host: str, port: int, deadline: Deadline) -> Sequence[Address]:
    found = numeric(host, port)
    if found is not None:
        return found
    done = threading.Event()
    result = lookup(host, port, done.set)
    if not done.wait(deadline.left(_NO_LIMIT)):
        raise StreamTimeoutError("the host name was not resolved in time")
    return result.addresses()
