"""A protocol as steps that do no input or output, and the ways in which a connection fails.

A protocol is a generator. It yields bytes to be written, or the maximum number of bytes to be read, and is sent what was
read: b"" at the end of the stream. Bytes to be written are a `memoryview`, whose representation does not show them: error
reporters show the locals of frames, and the head of a request has the token. `streams.py` carries the steps out for
threads, and `async_streams.py` for asyncio and trio.
"""

from __future__ import annotations

from collections.abc import Generator
from typing import Final, TypeAlias, TypeVar

T = TypeVar("T")

Steps: TypeAlias = Generator[memoryview | int, bytes, T]

READ_SIZE: Final = 64 * 1024  # bytes


class StreamError(Exception):
    """The connection cannot be used, or cannot be used any more."""


class StreamTimeoutError(StreamError):
    """A step did not end in time."""


class StreamBrokenError(StreamError):
    """The peer or the network ended the connection, or the peer sent what is not part of the protocol."""


class NoConnectionError(StreamError):
    """There is no connection to the service: a host cannot be resolved, or a proxy refuses to connect to it."""
