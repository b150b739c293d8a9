"""The clock of a world: the system clock with an offset, or frozen."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta


def system_time() -> datetime:
    """Return the time of the system clock, in UTC."""
    return datetime.now(UTC)


class Clock:
    """The clock of a world (`world.clock`): it dates tokens, timestamps, due posts and responses.

    It runs with the system clock until it is moved or frozen.

    Args:
        system: The underlying clock; it returns aware datetimes.
        at: The initial time; that of the underlying clock if not given.
    """

    def __init__(self, system: Callable[[], datetime] = system_time, at: datetime | None = None) -> None:
        self._system = system
        self._first_ahead = _aware(at) - system() if at else timedelta()
        self._ahead = self._first_ahead
        self._stopped_at: datetime | None = None
        self.changed: Callable[[], None] = lambda: None

    def now(self) -> datetime:
        """Return the time, in UTC."""
        return (self._stopped_at or self._system() + self._ahead).astimezone(UTC)

    @property
    def frozen(self) -> bool:
        """Whether the clock is frozen."""
        return self._stopped_at is not None

    def set(self, moment: datetime) -> None:
        """Set the clock to a moment. A frozen clock stays frozen, a running one runs on from there.

        Raises:
            ValueError: The moment has no time zone.
        """
        self._ahead = _aware(moment) - self._system()
        if self.frozen:
            self._stopped_at = moment
        self.changed()

    def advance(self, seconds: float) -> None:
        """Move the clock forward by a number of seconds, or back if it is negative."""
        self.set(self.now() + timedelta(seconds=seconds))

    def freeze(self, at: datetime | None = None) -> None:
        """Freeze the clock, at a moment or at the present time.

        Raises:
            ValueError: The moment has no time zone.
        """
        moment = _aware(at or self.now())
        self._stopped_at = moment
        self.set(moment)

    def run(self) -> None:
        """Let the clock run from the time that it shows."""
        now, self._stopped_at = self.now(), None
        self.set(now)

    def reset(self) -> None:
        """Set the clock to its initial offset and let it run."""
        self._ahead, self._stopped_at = self._first_ahead, None
        self.changed()

    def dump(self) -> dict[str, float | str | None]:
        """Return the state of the clock as JSON, for `restore`."""
        stopped = self._stopped_at
        return {
            "firstAhead": self._first_ahead.total_seconds(),
            "ahead": self._ahead.total_seconds(),
            "stoppedAt": stopped.isoformat() if stopped else None,
        }

    def restore(self, dumped: dict[str, float | str | None]) -> None:
        """Set the clock to the state of a clock's `dump`."""
        self._first_ahead = timedelta(seconds=float(dumped["firstAhead"] or 0))
        self._ahead = timedelta(seconds=float(dumped["ahead"] or 0))
        stopped = dumped["stoppedAt"]
        self._stopped_at = datetime.fromisoformat(stopped) if isinstance(stopped, str) else None


def _aware(moment: datetime) -> datetime:
    if moment.tzinfo is None:
        raise ValueError(f"{moment.isoformat()} has no time zone; add one, such as tzinfo=UTC")
    return moment
