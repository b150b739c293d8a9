"""The deadline of an attempt: an absolute time, of which every read and every write gets what is left."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Final, NamedTuple

from .steps import StreamTimeoutError

if TYPE_CHECKING:
    from ..calls.operation import Timeout

_MAX_WAIT: Final = 1e6  # seconds, eleven days; sockets and selectors refuse more than 2**31 milliseconds


class Deadline(NamedTuple):
    """The end of an attempt, and the limits of its steps.

    Attributes:
        end: When the attempt has to end, in seconds of `time.monotonic`.
        read: Maximum wait for the next bytes, in seconds.
        write: Maximum wait until bytes are taken, in seconds.
    """

    end: float
    read: float
    write: float

    @classmethod
    def of(cls, timeout: Timeout) -> Deadline:
        """Return the deadline of an attempt that begins now."""
        end = float("inf") if timeout.total is None else time.monotonic() + timeout.total
        return cls(end, timeout.read, timeout.write)

    def left(self, limit: float) -> float:
        """Return the number of seconds that a step with this limit may take.

        Raises:
            StreamTimeoutError: The deadline has passed.
        """
        left = self.end - time.monotonic()
        if left <= 0:
            raise StreamTimeoutError("its time has passed")
        return min(limit, left, _MAX_WAIT)

    def within(self, seconds: float) -> Deadline:
        """Return a deadline for several steps, such as connecting, that may take this number of seconds together."""
        return Deadline(min(self.end, time.monotonic() + seconds), seconds, seconds)
