"""One pace for all runs of a user on a machine that call the same service: its numbers in a file, under a lock.

Each run has its own window. `time.monotonic` is one clock for all processes of a machine and starts again with it, so
numbers from the future, and those of runs that ended a minute ago, are discarded.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import tempfile
from collections.abc import Callable
from dataclasses import fields
from hashlib import blake2b
from pathlib import Path
from typing import Final, TypeVar

from .file_lock import lock, unlock
from .pace import Pace

T = TypeVar("T")

_NAMES: Final = tuple(field.name for field in fields(Pace))
_FORMAT: Final = struct.Struct(f"<{len(_NAMES)}d")
_NUMBER: Final = struct.Struct("<d")
_RATE: Final = _NUMBER.size * _NAMES.index("rate")
_SILENT_UNTIL: Final = _NUMBER.size * _NAMES.index("silent_until")
_WRITE_INTERVAL: Final = 0.1
_VERSION: Final = 3  # of the names and their order
_FORGOTTEN_AFTER: Final = 60.0  # seconds without a run


class SharedPace:
    """Same as `Pace`, but for the runs of several processes.

    Args:
        path: The file, which is created if there is none.
        now: The time, on the clock of the other calls.
    """

    def __init__(self, path: Path, now: float) -> None:
        self._file = os.open(path, os.O_CREAT | os.O_RDWR | getattr(os, "O_NOFOLLOW", 0), 0o600)
        lock(self._file)
        try:
            is_new = os.fstat(self._file).st_size != _FORMAT.size
            if is_new:
                os.ftruncate(self._file, _FORMAT.size)
            self._map = mmap.mmap(self._file, _FORMAT.size)
            if is_new or not -_FORGOTTEN_AFTER < self._last_use() - now <= 0:
                self._store(Pace())
        finally:
            unlock(self._file)
        self._granted = 0  # requests that are not in the file yet
        self._written_at = now

    @property
    def rate(self) -> float:
        """Requests per second; 0 as long as none was refused."""
        return self._read(_RATE)

    def start(self, now: float) -> float:
        """Count a request that starts now and return 0; or return the seconds until one may start."""
        # As long as nothing was refused, there is nothing to count, and the lock would cost more than the rest of the limiter.
        if self._granted and not self._read(_RATE) and self._read(_SILENT_UNTIL) <= now:
            return 0.0
        return self._locked(now, lambda pace: pace.start(now))

    def granted(self, now: float) -> None:
        """Count a request that the service did not refuse. It is written within a tenth of a second of requests."""
        self._granted += 1
        if now >= self._written_at + _WRITE_INTERVAL:
            self._locked(now, lambda pace: None)

    def refused(self, now: float, started: float, retry_after: float | None) -> bool:
        """Count a 429 to a request that started at `started`; return whether the rate was cut."""
        return self._locked(now, lambda pace: pace.refused(now, started, retry_after))

    def pause(self, until: float, *, anew: bool = False) -> None:
        """Start nothing before this time; with `anew`, what was granted before says nothing about a rate."""
        self._locked(self._written_at, lambda pace: pace.pause(until, anew=anew))

    def close(self) -> None:
        """Close the file."""
        self._map.close()
        os.close(self._file)

    def _read(self, offset: int) -> float:
        """Return one number, without the lock: it is written as a whole."""
        return float(_NUMBER.unpack_from(self._map, offset)[0])

    def _locked(self, now: float, act: Callable[[Pace], T]) -> T:
        lock(self._file)
        try:
            pace = Pace(*_FORMAT.unpack_from(self._map))
            if self._granted:
                pace.granted(now, self._granted)
                self._granted, self._written_at = 0, now
            result = act(pace)
            self._store(pace)
            return result
        finally:
            unlock(self._file)

    def _store(self, pace: Pace) -> None:
        _FORMAT.pack_into(self._map, 0, *[getattr(pace, name) for name in _NAMES])

    def _last_use(self) -> float:
        pace = Pace(*_FORMAT.unpack_from(self._map))
        return max(pace.recent_at, pace.cut_at)


def pace_of(base_url: str, now: float) -> Pace | SharedPace:
    """Return the pace of a service that the runs of this user share, or a pace of one run where there is no place for a file."""
    name = f"pace-{_VERSION}-{blake2b(base_url.encode(), digest_size=12).hexdigest()}"
    try:
        return SharedPace(_folder() / name, now)
    except OSError:
        return Pace()


def _folder() -> Path:
    """Return a folder that only this user can write to, or raise `OSError`."""
    uid = os.getuid() if hasattr(os, "getuid") else 0
    folder = Path(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir()) / f"project-platform-{uid}"
    folder.mkdir(mode=0o700, exist_ok=True)
    found = folder.lstat()
    if hasattr(os, "getuid") and (not stat.S_ISDIR(found.st_mode) or found.st_uid != uid or found.st_mode & 0o022):
        raise PermissionError(f"{folder} can be written to by others")
    return folder
