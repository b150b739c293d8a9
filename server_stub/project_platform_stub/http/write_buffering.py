"""One write for what is written in one turn of the event loop.

uvicorn writes the head and the body of an answer each by itself, and each would be a system call of its own: a sixth of what
an answer costs.
"""

from __future__ import annotations

import asyncio
from collections.abc import Iterable
from typing import Any


class GatheringTransport(asyncio.Transport):
    """A transport that holds back what is written until the turn of the loop ends, or until the connection does."""

    def __init__(self, inner: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        super().__init__()
        self._inner = inner
        self._loop = loop
        self._held: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        """Write, before anything else happens on the loop."""
        if not self._held:
            self._loop.call_soon(self._flush)
        self._held.append(bytes(data))

    def writelines(self, list_of_data: Iterable[bytes | bytearray | memoryview]) -> None:
        """Write all of it."""
        for data in list_of_data:
            self.write(data)

    def write_eof(self) -> None:
        """Write, and then nothing more."""
        self._flush()
        self._inner.write_eof()

    def close(self) -> None:
        """Close when all is written."""
        self._flush()
        self._inner.close()

    def abort(self) -> None:
        """Close at once; what is held back is lost."""
        self._held.clear()
        self._inner.abort()

    def is_closing(self) -> bool:
        """Return whether it is closing or closed."""
        return self._inner.is_closing()

    def get_write_buffer_size(self) -> int:
        """Return how many bytes have not left yet."""
        return self._inner.get_write_buffer_size() + sum(map(len, self._held))

    def get_extra_info(self, name: str, default: Any = None) -> Any:
        """Return what is known of the connection, such as its socket."""
        return self._inner.get_extra_info(name, default)

    def pause_reading(self) -> None:
        """Read no more for now."""
        self._inner.pause_reading()

    def resume_reading(self) -> None:
        """Read on."""
        self._inner.resume_reading()

    def _flush(self) -> None:
        if self._held:
            data = b"".join(self._held)
            self._held.clear()
            self._inner.write(data)
