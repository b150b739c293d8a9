"""The addresses of a host: resolved in a thread that can be left alone, and in the order in which they are tried."""

from __future__ import annotations

import itertools
import socket
import threading
from collections.abc import Callable, Sequence
from typing import Any, Final, TypeAlias

from .steps import NoConnectionError

HAPPY_EYEBALLS_DELAY: Final = 0.25  # seconds before the next address is tried as well (RFC 8305, section 5)

Address: TypeAlias = tuple[Any, socket.SocketKind, int, str, Any]
"""An address as `socket.getaddrinfo` returns it."""


def _encoded(host: str) -> bytes | str:
    """Return an ASCII name as bytes: for text, the first use imports a codec, and a child of a fork could wait for it without end."""
    return host.encode() if host.isascii() else host


class Lookup:
    """The result of a name resolution."""

    def __init__(self) -> None:
        self._found: Sequence[Address] = ()
        self._error: BaseException | None = None

    def resolve(self, host: str, port: int) -> None:
        """Ask the resolver."""
        try:
            self._found = socket.getaddrinfo(_encoded(host), port, type=socket.SOCK_STREAM)
        except BaseException as error:  # noqa: BLE001  # UnicodeError for a name that cannot be one
            self._error = error

    def addresses(self) -> Sequence[Address]:
        """Return the addresses.

        Raises:
            NoConnectionError: There are none.
        """
        if self._error is not None:
            reason = getattr(self._error, "strerror", None) or self._error
            raise NoConnectionError(f"the host name cannot be resolved: {reason}") from None
        return self._found


def numeric(host: str, port: int) -> Sequence[Address] | None:
    """Return the address of a host that is an address; None for a name."""
    try:
        return socket.getaddrinfo(_encoded(host), port, type=socket.SOCK_STREAM, flags=socket.AI_NUMERICHOST)
    except (OSError, UnicodeError):
        return None


def lookup(host: str, port: int, done: Callable[[], object]) -> Lookup:
    """Resolve a name in a thread, which calls `done` at the end.

    The resolver of the system can be neither interrupted nor given a time limit. The thread is a daemon: a call that has
    reached its deadline, an event loop that ends, and a process that exits do not wait for it.
    """
    result = Lookup()

    def resolve() -> None:
        result.resolve(host, port)
        done()

    threading.Thread(target=resolve, name=f"resolve {host}", daemon=True).start()
    return result


def alternate_families(addresses: Sequence[Address]) -> list[Address]:
    """Return addresses with IPv6 and IPv4 in turn, in the order of the resolver (RFC 8305, section 4)."""
    first = [address for address in addresses if address[0] == addresses[0][0]]
    others = [address for address in addresses if address[0] != addresses[0][0]]
    pairs = itertools.zip_longest(first, others)
    return [address for pair in pairs for address in pair if address is not None]
