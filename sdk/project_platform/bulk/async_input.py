"""The asynchronous input of a run: a task reads it, and the scheduler takes what was read."""

from __future__ import annotations

from collections import deque
from collections.abc import AsyncIterable, Callable
from typing import Any, Final

import anyio

from .candidates import InputNotReadyError

_READ_AHEAD: Final = 16  # rows, so that tasks do not change places for each


class InputReader:
    """Reads an asynchronous input in a task, one row at a time when one is wanted."""

    def __init__(self, items: AsyncIterable[Any], wake: Callable[[], None]) -> None:
        self._items = items
        self._wake = wake
        self._read: deque[Any] = deque()
        self._wanted = anyio.Event()
        self._error: BaseException | None = None
        self._exhausted = False

    def next_item(self) -> Any:
        """Return the next row that was read.

        Raises:
            StopIteration: There are no more.
            InputNotReadyError: It is still read.
        """
        if self._read:
            return self._read.popleft()
        if self._error is not None:
            raise self._error
        if self._exhausted:
            raise StopIteration
        self._wanted.set()
        raise InputNotReadyError

    async def read(self) -> None:
        """Read the input to its end."""
        try:
            async for item in self._items:
                self._read.append(item)
                self._wake()
                if not self._wanted.is_set() or len(self._read) >= _READ_AHEAD:
                    self._wanted = anyio.Event()
                    await self._wanted.wait()
        except anyio.get_cancelled_exc_class():
            raise
        except BaseException as error:  # noqa: BLE001  # it is raised where the outcomes are read, after the rows in flight
            self._error = error
        finally:
            self._exhausted = True
            self._wake()
