"""Locks between the processes of one machine. Runs on different machines recognise each other by the tags that they write."""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
import threading
import time
from pathlib import Path
from typing import Final, Self

if sys.platform == "win32":
    import msvcrt

    def _lock(file: int, number: int, *, acquire: bool) -> None:
        os.lseek(file, number, os.SEEK_SET)
        msvcrt.locking(file, msvcrt.LK_NBLCK if acquire else msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def _lock(file: int, number: int, *, acquire: bool) -> None:
        """Lock a byte of a file, or release it, or raise if another process has it."""
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB if acquire else fcntl.LOCK_UN, 1, number)


_POLL: Final = 0.02  # Seconds between two attempts to acquire a lock.
_CHANGES: Final = 1  # Number of the lock on changes; 0 is that of a run, and a stretch of the calendar has its time.


class LockedError(Exception):
    """Another process has the lock."""


class Locks:
    """Numbered locks, each a byte of one file. The operating system releases them when the process ends, even by a crash.

    As a context manager, it holds the lock on changes of what a run did not create, and may be entered again.

    Args:
        path: The file, which is created.
    """

    def __init__(self, path: Path) -> None:
        path.parent.mkdir(parents=True, exist_ok=True)
        # It stays open as long as the process: closing it would release the locks.
        self._file = os.open(path, os.O_RDWR | os.O_CREAT, 0o600)
        self._held: set[int] = set()
        self._mutex = threading.Lock()
        self._depth = 0

    def hold(self, number: int) -> bool:
        """Return whether this process has a lock, acquiring it if no other process has it."""
        with self._mutex:
            if number not in self._held:
                try:
                    _lock(self._file, number, acquire=True)
                except OSError:
                    return False
                self._held.add(number)
            return True

    def release(self, number: int) -> None:
        """Release a lock of this process."""
        with self._mutex:
            _lock(self._file, number, acquire=False)
            self._held.discard(number)

    def claim(self, number: int) -> bool:
        """Return whether a lock was acquired that neither this nor another process had."""
        return number not in self._held and self.hold(number)

    def __enter__(self) -> Self:
        """Acquire the lock on changes as soon as no other process has it."""
        while not self.hold(_CHANGES):
            time.sleep(_POLL)
        self._depth += 1
        return self

    def __exit__(self, *error: object) -> None:
        """Release the lock on changes."""
        self._depth -= 1
        if self._depth == 0:
            self.release(_CHANGES)


def locks_of(base_url: str, project: str) -> Locks:
    """Return the locks of a project of a deployment, which all runs of the user on this machine share."""
    if sys.platform == "win32":
        user = ""  # its temporary folder is the user's
    else:
        user = f"-{os.getuid()}"
    name = hashlib.sha256(f"{base_url} {project.lower()}".encode()).hexdigest()[:16]
    return Locks(Path(tempfile.gettempdir(), f"project-platform-contract{user}", f"{name}.lock"))
