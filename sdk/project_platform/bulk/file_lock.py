"""Locks on files. The operating system releases them when the process ends, however it ends."""

from __future__ import annotations

import sys

if sys.platform == "win32":
    import errno
    import msvcrt
    import os

    # `locking` locks from the position of the file, which differs between processes that append.
    def _locking(file: int, mode: int) -> None:
        os.lseek(file, 0, os.SEEK_SET)
        msvcrt.locking(file, mode, 1)

    def try_lock(file: int) -> bool:
        """Lock the first byte of an open file, and return whether no other process has it locked."""
        try:
            _locking(file, msvcrt.LK_NBLCK)
        except OSError:
            return False
        return True

    def lock(file: int) -> None:
        """Lock the first byte of an open file, and wait until no other process has it locked."""
        while True:
            try:
                _locking(file, msvcrt.LK_LOCK)
            except OSError as error:
                if error.errno != errno.EDEADLK:  # after ten seconds
                    raise
            else:
                return

    def unlock(file: int) -> None:
        """Release the lock."""
        _locking(file, msvcrt.LK_UNLCK)

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
