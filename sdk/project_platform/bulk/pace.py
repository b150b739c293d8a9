"""The rate of a run against a service that counts requests and responds with 429. The clock is an argument.

There is no rate until the first refusal. From then on each rate that was refused leads to an estimate of what the service
grants, and the rate follows a curve from one refusal to the next:

1. It climbs within two seconds to a plateau just below the estimate, and holds it.
2. Then it probes: it rises ever faster until a request is refused, so a quota that rose sixfold is found in about three seconds.

A probe whose estimate is the one before doubles the time of the next plateau: a probe costs a refusal and the pause that the
service asks for. A rise of the quota makes the time shorter. A fall makes it short for half a minute, because
the quota that was there a moment ago may return.
"""

from __future__ import annotations

import mmap
import os
import stat
import struct
import tempfile
from collections.abc import Callable
from dataclasses import dataclass, fields
from hashlib import blake2b
from math import exp, sqrt
from pathlib import Path
from typing import Final, TypeVar

from .file_lock import lock, unlock

T = TypeVar("T")

MAX_SILENCE: Final = 60.0  # the longest `Retry-After` to wait for at a time

_CUT: Final = 0.8  # of the estimate, after a refusal
_PLATEAU: Final = 0.97  # of the estimate
_RAMP: Final = 2.0  # seconds until the plateau
_MIN_HOLD: Final = 4.0  # seconds from a refusal to the next probe
_MAX_HOLD: Final = 64.0
_HOLD_AFTER_FALL: Final = 2.0
_MAX_DOUBLINGS: Final = 20.0  # a million times the estimate, which is no limit
_RECENT: Final = 0.5  # seconds: what is granted counts less the longer ago it was, as in a mean over the last second
_MEASUREMENT: Final = 0.5  # seconds from one estimate to the next, at least: shorter ones are chance
_FALL: Final = 0.7  # an estimate below this share of the one before is a fall of the quota
_RISE: Final = 1.15  # an estimate above it is a rise
_STEP: Final = 1.03  # the most that an estimate grows if the quota is the same
_LONG: Final = 3.0  # seconds of a plateau
_MEMORY: Final = 30.0  # seconds in which the quota from before a fall is expected to return
_MAX_LATE: Final = 0.03  # seconds of requests that may be sent at once after a late start: a clock may be coarse
_MIN_RATE: Final = 0.2  # requests per second that are always tried
LONG_WINDOW: Final = 2.0  # seconds of `Retry-After` from which it is the time of the next window
_WINDOWS: Final = 10.0  # from one probe of a window to the next
_PROBE: Final = 4.0  # how many times as fast as the mean a window is probed
_FIRST_BACKOFF, _MAX_BACKOFF = 0.1, 5.0  # seconds


def curve(age: float, hold: float) -> float:
    """Return the rate as a share of the estimate, by the seconds since a refusal and those until the next probe.

    A probe doubles the rate within a second, and then every second.
    """
    if age < _RAMP:
        return _PLATEAU - (_PLATEAU - _CUT) * (1 - age / _RAMP) ** 2
    probing = max(0.0, age - max(hold, _RAMP))
    return _PLATEAU * 2 ** min(_MAX_DOUBLINGS, probing, probing**2)


@dataclass(slots=True)
class Pace:
    """Requests per second. All fields are numbers, because `SharedPace` writes them to a file."""

    rate: float = 0.0  # 0 is no limit
    estimate: float = 0.0  # of what the service grants, as far as is known
    before_fall: float = 0.0  # the estimate before the quota fell
    fell_at: float = -1e9
    hold: float = _MIN_HOLD  # seconds from the last refusal, and the pause after it, to the next probe
    cut_at: float = -1e9  # time of the last refusal that brought news
    resumed_at: float = -1e9  # time when that one's pause ended
    next_start: float = 0.0  # time when the next request may start
    silent_until: float = 0.0  # time before which nothing may start
    counted_from: float = -1.0  # time from which `count` counts: the last estimate, or the first request
    count: float = 0.0  # requests granted since
    recent: float = 0.0  # what was granted in about the last second, per second
    recent_at: float = -1.0  # time of the last grant
    backoffs: float = 0.0  # refusals since the last estimate that were too early for another one
    budget: float = 0.0  # of a window that is announced by its reset; 0 if there is none
    used: float = 0.0
    reset_at: float = 0.0  # time of the next window
    period: float = 0.0  # seconds of a window; 0 if not known yet
    probed_at: float = 0.0  # reset that the last refusal announced
    windows: float = 0.0  # since then

    def start(self, now: float) -> float:
        """Count a request that starts now and return 0; or return the seconds until one may start."""
        wait = max(self.silent_until, self.next_start if self.rate else 0.0) - now
        if wait > 0:
            return wait
        if self.counted_from < 0:
            self.counted_from = self.recent_at = now
        if self.budget:
            return self._start_in_window(now)
        if self.rate:
            self.rate = max(_MIN_RATE, self.estimate * curve(now - self.resumed_at, self.hold))
            self.next_start = max(self.next_start, now - _MAX_LATE) + 1 / self.rate
        return 0.0

    def _start_in_window(self, now: float) -> float:
        """Start as many requests in a window as the service granted; from time to time more, until one is refused."""
        if now >= self.reset_at:
            number = 1 + (now - self.reset_at) // self.period if self.period else 1.0
            self.budget = max(self.budget, self.used)  # all of it was granted
            self.windows, self.used, self.count = self.windows + number, 0.0, 0.0
            self.reset_at = self.reset_at + number * self.period if self.period else now + MAX_SILENCE
        if self.used >= self.budget:
            if self.period and self.windows < _WINDOWS:
                return self.reset_at - now
            if self.next_start > now:
                return self.next_start - now
            self.next_start = now + max(self.period, LONG_WINDOW) / (_PROBE * self.budget)
        self.used += 1
        return 0.0

    def _refused_in_window(self, now: float, retry_after: float) -> None:
        """Learn when the next window begins, and how many requests one grants."""
        reset, granted = now + retry_after, self.count
        if self.budget and self.windows:
            self.period = max(1.0, round((reset - self.probed_at) / self.windows))
        if granted or not self.budget:  # otherwise the reset was a little later than announced
            self.budget = max(1.0, granted)
        self.rate = self.estimate = max(_MIN_RATE, self.budget / max(1.0, self.period or retry_after))
        self.probed_at = self.reset_at = reset
        self.windows, self.used = 0.0, self.budget
        self.resumed_at = reset

    def granted(self, now: float, number: float = 1) -> None:
        """Count requests that the service did not refuse."""
        self.count += number
        if self.budget:
            self.budget = max(self.budget, self.count)  # responses of the requests before the refused one are later
        self.recent = self._recent(now) + number / _RECENT
        self.recent_at = now

    def refused(self, now: float, started: float, retry_after: float | None) -> bool:
        """Count a 429 to a request that started at `started`; return whether the rate was cut."""
        age, seconds = now - self.resumed_at, now - self.counted_from
        if retry_after:
            self.pause(now + min(retry_after, MAX_SILENCE))
        if started <= self.cut_at or started < self.counted_from:
            return False  # it was sent before the last cut, or before a pause, so this is known
        self.cut_at = now
        if retry_after and (self.budget or (retry_after >= LONG_WINDOW and not self.rate)):
            self._refused_in_window(now, retry_after)
            return True
        if self.rate and (not self.count or seconds < _MEASUREMENT):
            self._back_off(now)
        else:
            self._estimate(now, age, seconds, retry_after or 0.0)
            self.counted_from, self.count, self.backoffs = now, 0, 0
            self.recent, self.recent_at = self.estimate, now
        self.resumed_at = max(now, self.silent_until)
        self.rate = self.estimate * _CUT
        self.next_start = self.resumed_at if self.silent_until > now else now + 1 / self.rate
        return True

    def _back_off(self, now: float) -> None:
        """Wait, ever longer: a service that has granted too much at once grants nothing for a while, whatever its quota is."""
        self.pause(now + min(_MAX_BACKOFF, _FIRST_BACKOFF * 2 ** min(self.backoffs, 10)))
        self.backoffs += 1
        if self.backoffs > 4 and not self.count:  # noqa: PLR2004  # more than a second and a half
            self.estimate = max(_MIN_RATE, self.estimate * _FALL)

    def _estimate(self, now: float, age: float, seconds: float, retry_after: float) -> None:
        """Estimate the rate of the service.

        Args:
            now: The time of the refusal.
            age: Seconds since the pause of the refusal before.
            seconds: Seconds since the estimate before, pauses included.
            retry_after: The pause that the service asks for.
        """
        before, recent = self.estimate, self._recent(now)
        mean = self.count / seconds
        if not self.rate:
            # A burst may be all that is granted in a second, or in the pause. After that, the mean is that of a start, and a
            # bucket that was full grants more than its rate: between the two.
            mean = self.count / max(1.0, retry_after, seconds)
            self.estimate = mean if seconds < 1 else sqrt(mean * max(mean, recent))
            self.hold = max(_MIN_HOLD, 3 * retry_after)
        elif age > max(self.hold, _RAMP):
            self._estimate_probed(now, max(recent, self.count / age), retry_after)
        else:
            # A rate granted for three seconds is nearly right, and one refused before the pause had paid off is far off.
            least = 0.95 if age >= _LONG else 0.9 if age >= 0.8 * max(retry_after, 1.0) else 0.4
            # A bucket fills during the pause, so what it grants until the next one is more than its rate; the mean with the
            # pause is too little for a window. So between the two.
            self.estimate = max(sqrt(self.rate * min(mean, self.rate)), least * self.rate)
            if self.estimate < _FALL * before:
                if not self._expects_rise(now):
                    self.before_fall, self.fell_at = before, now
                self.hold = max(_HOLD_AFTER_FALL, 2 * retry_after)
        self.estimate = max(_MIN_RATE, self.estimate)

    def _estimate_probed(self, now: float, granted: float, retry_after: float) -> None:
        """Estimate from a probe, and decide when the next one is due."""
        before = self.estimate
        if granted >= 0.8 * before:  # the rate was used, and the plateau was granted
            granted = max(granted, before)
        self.estimate = min(self.rate, 0.97 * granted)
        if 0.8 * before <= granted < _RISE * before:
            self.estimate = min(self.estimate, _STEP * before)  # what a probe is granted is partly chance
        if self._expects_rise(now):
            self.hold = max(_HOLD_AFTER_FALL, 2 * retry_after)
        elif self.estimate < _RISE * before:
            self.hold = min(max(_MAX_HOLD, 3 * retry_after), self.hold * 2)
        else:
            # Not at once the shortest: a bucket that was full looks like a rise, too.
            self.hold = max(_MIN_HOLD, 3 * retry_after, self.hold / 2)

    def _recent(self, now: float) -> float:
        return self.recent * exp(-(now - self.recent_at) / _RECENT)

    def _expects_rise(self, now: float) -> bool:
        return now - self.fell_at < _MEMORY and self.estimate < _FALL * self.before_fall

    def pause(self, until: float, *, anew: bool = False) -> None:
        """Start nothing before this time; with `anew`, what was granted before says nothing about a rate."""
        if anew:
            self.counted_from, self.count = until, 0.0
        if until > self.silent_until:
            self.silent_until = until
            self.resumed_at = max(self.resumed_at, until)
            self.next_start = max(self.next_start, until)

    def close(self) -> None:
        """Do nothing: the pace of one run is in no file."""


_NAMES: Final = tuple(field.name for field in fields(Pace))
_FORMAT: Final = struct.Struct(f"<{len(_NAMES)}d")
_NUMBER: Final = struct.Struct("<d")
_RATE: Final = _NUMBER.size * _NAMES.index("rate")
_SILENT_UNTIL: Final = _NUMBER.size * _NAMES.index("silent_until")
_WRITE_INTERVAL: Final = 0.1
_VERSION: Final = 4  # of the names and their order
_FORGOTTEN_AFTER: Final = 60.0  # seconds without a run


class SharedPace:
    """Same as `Pace`, but for all runs of a user on a machine that call the same service: its numbers in a file, under a lock.

    Each run has its own window. `time.monotonic` is one clock for all processes of a machine and starts again with it, so
    numbers from the future, and those of runs that ended a minute ago, are discarded.

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
