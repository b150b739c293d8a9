"""The planned faults of a world, and the requests that met them."""

from __future__ import annotations

import threading
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from project_platform_stub.contract import load_contract

from . import Fault

if TYPE_CHECKING:
    from project_platform_stub.world.journal import Entry, Journal

ANY = "*"
TOKEN = "auth_token"  # noqa: S105  # the name of the token endpoint among the operations


class FaultPlans:
    """The planned faults of a world (`world.faults`): each request of an operation meets the next fault."""

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._planned: list[tuple[str, Fault]] = []
        self._operations: set[str] = set()
        self._landings: list[_Landing] = []
        self._lock = threading.Lock()

    def plan(self, operation: str, *faults: Fault | list[Fault]) -> None:
        """Plan faults for the next requests of an operation, after those that are planned already.

        Args:
            operation: An operationId such as `records_update`, `auth_token` for the token endpoint, or `*` for any.
            faults: One fault per request, in order; lists are flattened.

        Raises:
            ValueError: There is no such operation, or no fault.
        """
        known = [*load_contract().operations, TOKEN, ANY]
        if operation not in known:
            near = get_close_matches(operation.replace(".", "_"), known, 1)
            raise ValueError(f"There is no operation {operation!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        flat = [fault for item in faults for fault in (item if isinstance(item, list) else [item])]
        if not flat:
            raise ValueError("there is no fault to plan; give one for each request, as in faults.drop_after_apply()")
        if wrong := next((fault for fault in flat if not isinstance(cast("object", fault), Fault)), None):
            raise TypeError(f"{wrong!r} is no fault; call a function of faults, as in faults.drop_after_apply()")
        with self._lock:
            self._operations.add(operation)
            self._planned += [(operation, fault) for fault in flat]

    def take(self, operation: str) -> Fault | None:
        """Remove and return the fault that a request of an operation meets; None if none is planned."""
        if not self._planned:
            return None
        with self._lock:
            for name in (operation, ANY):
                for planned in self._planned:
                    if planned[0] == name:
                        self._planned.remove(planned)
                        return planned[1]
        return None

    @property
    def left(self) -> list[tuple[str, Fault]]:
        """The faults that no request has met yet, each with its operation."""
        with self._lock:
            return list(self._planned)

    def clear(self) -> None:
        """Delete the planned faults, and drop the requests that are still to be carried out late."""
        with self._lock:
            self._planned.clear()
            self._operations.clear()
            landings, self._landings = self._landings, []
        for landing in landings:
            landing.drop()

    def check(self) -> None:
        """Fail if a planned fault was not met by a request.

        Raises:
            AssertionError: A planned fault was not met; the message lists all of them.
        """
        if self.left:
            raise AssertionError(f"{self.describe_left()}\n\n{self.report()}")

    def describe_left(self) -> str:
        """Return the faults that no request has met, a line for each."""
        return "\n".join(["Planned faults that no request met:", *(f"  {name}: {fault}" for name, fault in self.left)])

    def schedule(self, seconds: float, carry_out: Callable[[], object]) -> None:
        """Carry a request out after a number of seconds."""
        landing = _Landing(seconds, carry_out)
        with self._lock:
            self._landings = [earlier for earlier in self._landings if not earlier.done]
            self._landings.append(landing)
        landing.start()

    @property
    def pending(self) -> int:
        """Number of requests that are still to be carried out late."""
        return sum(not landing.done for landing in self._landings)

    def land(self) -> int:
        """Carry out now the requests that are still to be carried out late, and return their number."""
        with self._lock:
            landings = [landing for landing in self._landings if not landing.done]
        return sum(landing.land() for landing in landings)

    def attempts(self) -> list[Attempt]:
        """Return the requests of the operations for which faults were planned, in order."""
        entries = [entry for entry in self._journal if ANY in self._operations or entry.operation in self._operations]
        return [Attempt(entry, _find_retry(entry, entries[index + 1 :])) for index, entry in enumerate(entries)]

    def report(self) -> str:
        """Return a table of the attempts: time, response, and whether the client waited as `Retry-After` says."""
        lines = [f"{'no.':>4}  {'at':<12}  {'operation':<26}  {'response':<44}  Retry-After"]
        lines += [
            f"{attempt.entry.number:>4}  {attempt.entry.at:%H:%M:%S.%f}"[:-3].ljust(18)
            + f"  {attempt.entry.operation or '-':<26}  {attempt.got:<44}  {attempt.retry_after_summary}"
            for attempt in self.attempts()
        ]
        lines += [f"   -  {'':<12}  {operation:<26}  not met: {fault}" for operation, fault in self.left]
        return "\n".join(line.rstrip() for line in lines)


class Attempt:
    """A request of an operation for which faults were planned.

    Attributes:
        entry: Its journal entry.
        waited: Seconds until the same request was sent again, by the world's clock or the system's, whichever measured
            more; None if it was not sent again.
    """

    def __init__(self, entry: Entry, retry: Entry | None) -> None:
        self.entry = entry
        self.waited: float | None = None
        if retry is not None:
            by_clock = (retry.at - entry.at).total_seconds()
            self.waited = max(by_clock, retry.monotonic - entry.monotonic)

    @property
    def got(self) -> str:
        """The response and the fault, in a few words."""
        return self.entry.verdict + (f" ({self.entry.fault})" if self.entry.fault else "")

    @property
    def honoured(self) -> bool | None:
        """Whether the client waited as long as `Retry-After` says; None without such a header or a retry."""
        if self.entry.retry_after is None or self.waited is None:
            return None
        return self.waited >= self.entry.retry_after - _TOLERANCE

    @property
    def retry_after_summary(self) -> str:
        """`Retry-After` and the actual wait, in a few words; empty without such a header."""
        if self.entry.retry_after is None:
            return ""
        if self.waited is None:
            return f"{self.entry.retry_after:g} s, not retried"
        verdict = "honoured" if self.honoured else "TOO EARLY"
        return f"{self.entry.retry_after:g} s, retried after {self.waited:.3g} s: {verdict}"


_TOLERANCE = 0.01  # Seconds that clocks may differ by.


def _find_retry(entry: Entry, later: list[Entry]) -> Entry | None:
    same = (entry.method, entry.path, entry.size, entry.body)
    return next((other for other in later if (other.method, other.path, other.size, other.body) == same), None)


class _Landing(threading.Timer):
    """A request that is carried out late, at most once."""

    def __init__(self, seconds: float, carry_out: Callable[[], object]) -> None:
        super().__init__(seconds, self.land)
        self.daemon = True
        self.done = False
        self._carry_out = carry_out
        self._lock = threading.Lock()

    def drop(self) -> None:
        with self._lock:
            self.done = True
        self.cancel()

    def land(self) -> bool:
        """Carry the request out, and return False if that has been done already."""
        self.cancel()
        with self._lock:
            if self.done:
                return False
            self._carry_out()
            self.done = True
            return True
