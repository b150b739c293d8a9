"""A lock on a folder that processes share; the operating system releases it when its process ends."""

from __future__ import annotations

import os
import time
from pathlib import Path
from types import TracebackType
from typing import Final, Self

from project_platform.bulk.file_lock import try_lock

_INTERVAL: Final = 0.05  # Seconds between two attempts.


class LockedError(Exception):
    """Another process has the lock."""


class FolderLock:
    """An exclusive lock on a file of a folder. It may be entered again by the process that has it.

    Args:
        path: The file; it remains after the lock is released.
        timeout: Seconds to wait for another process.
    """

    def __init__(self, path: Path, timeout: float = 0.0) -> None:
        self._path = path
        self._timeout = timeout
        self._depth = 0
        self._file = -1

    def __enter__(self) -> Self:
        """Wait for the lock.

        Raises:
            LockedError: Another process still has it after the timeout.
        """
        if self._depth == 0:
            self._acquire()
        self._depth += 1
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        """Release the lock."""
        self._depth -= 1
        if self._depth == 0:
            os.close(self._file)  # which releases it

    def _acquire(self) -> None:
        self._file = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        end = time.monotonic() + self._timeout
        while not try_lock(self._file):
            if time.monotonic() >= end:
                os.close(self._file)
                raise LockedError(f"{self._path}: another process has the lock")
            time.sleep(_INTERVAL)
