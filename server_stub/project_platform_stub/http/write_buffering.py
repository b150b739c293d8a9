"""Writes to a connection once for each iteration of the event loop.

uvicorn writes the head and the body of a response separately. Each would be a system call, and a system
call takes a sixth of the CPU time of a response.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any


class BufferedTransport(asyncio.Transport):
    """A transport that buffers writes until the next iteration of the loop, or until the connection ends."""

    def __init__(self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._inner = inner
        self._loop = loop
        self._buffer: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Buffer data for the next write."""
        if not self._buffer:
            self._loop.call_soon(self._flush)
        self._buffer.append(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Buffer several pieces of data for the next write."""
        for data in list_of_data:
            self.write(data)

    def write_eof(self) -> None:
        """Write the buffer, and close the sending side."""
        self._flush()
        self._inner.write_eof()

    def close(self) -> None:
        """Write the buffer, and close the connection."""
        self._flush()
        self._inner.close()

    def abort(self) -> None:
        """Close the connection at once; the buffer is lost."""
        self._buffer.clear()
        self._inner.abort()

    def is_closing(self) -> bool:
        """Return whether the connection is closing or closed."""
        return self._inner.is_closing()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes were not sent yet."""
        return self._inner.get_write_buffer_size() + sum(map(len, self._buffer))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return information about the connection, such as its socket."""
        return self._inner.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Stop reading from the connection."""
        self._inner.pause_reading()

    def resume_reading(self) -> None:
        """Start reading again."""
        self._inner.resume_reading()

    def _flush(self) -> None:
        if self._buffer:
            data = b"".join(self._buffer)
            self._buffer.clear()
            self._inner.write(data)
