"""Locks on files. The operating system releases them when the process ends, however it ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import msvcrt

    def try_lock(file: int) -> bool:
        """Lock the first byte of an open file, and return whether no other process has it locked."""
        try:
            msvcrt.locking(file, msvcrt.LK_NBLCK, 1)
        except OSError:
            return False
        return True

    def lock(file: int) -> None:
        """Lock the first byte of an open file, and wait until no other process has it locked."""
        while True:
            try:
                msvcrt.locking(file, msvcrt.LK_LOCK, 1)  # waits ten seconds
            except OSError:
                continue
            return

    def unlock(file: int) -> None:
        """Release the lock."""
        msvcrt.locking(file, msvcrt.LK_UNLCK, 1)

else:
    import fcntl

    def try_lock(file: int) -> bool:
        """Lock an open file, and return whether no other process has it locked."""
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        return True

    def lock(file: int) -> None:
        """Lock an open file, and wait until no other process has it locked."""
        fcntl.flock(file, fcntl.LOCK_EX)

    def unlock(file: int) -> None:
        """Release the lock."""
        fcntl.flock(file, fcntl.LOCK_UN)
