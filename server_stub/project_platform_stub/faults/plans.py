"""What is planned to go wrong in a world, and what came of it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Callable
from difflib import get_close_matches
from typing import TYPE_CHECKING

from project_platform_stub.contract import load_contract

from .fault import Fault

if TYPE_CHECKING:
    from project_platform_stub.world.journal import Entry, Journal

ANY = "*"
TOKEN = "auth_token"  # noqa: S105  # the name of the token endpoint among the operations


class FaultPlans:
    """What is planned to go wrong in a world (`world.faults`): each request of an operation meets the next fault.

    Args:
        journal: The journal of the same world.
    """

    def __init__(self, journal: Journal) -> None:
        self._journal = journal
        self._planned: dict[str, deque[Fault]] = {}
        self._operations: set[str] = set()
        self._landings: list[_Landing] = []
        self._lock = threading.Lock()

    def plan(self, operation: str, *faults: Fault | list[Fault]) -> None:
        """Plan what the next requests of an operation meet, after what is planned for it already.

        Args:
            operation: An operationId such as `records_update`, `auth_token` for the token endpoint, or `*` for any.
            faults: One fault for each request, in order; a list stands for its elements.

        Raises:
            ValueError: There is no such operation.
        """
        known = [*load_contract().operations, TOKEN, ANY]
        if operation not in known:
            near = get_close_matches(operation.replace(".", "_"), known, 1)
            raise ValueError(f"There is no operation {operation!r}" + (f"; did you mean {near[0]!r}?" if near else ""))
        flat = [one for each in faults for one in (each if isinstance(each, list) else [each])]
        with self._lock:
            self._operations.add(operation)
            self._planned.setdefault(operation, deque()).extend(flat)

    def take(self, operation: str) -> Fault | None:
        """Return what a request of an operation meets, if anything; it is used up."""
        if not self._planned:
            return None
        with self._lock:
            for name in (operation, ANY):
                if planned := self._planned.get(name):
                    fault = planned.popleft()
                    if not planned:
                        del self._planned[name]
                    return fault
        return None

    @property
    def left(self) -> list[tuple[str, Fault]]:
        """What no request has met yet: operations, each with a fault."""
        with self._lock:
            return [(operation, fault) for operation, planned in self._planned.items() for fault in planned]

    def clear(self) -> None:
        """Forget what is planned, and drop the requests that are still to be carried out late."""
        with self._lock:
            self._planned.clear()
            self._operations.clear()
            landings, self._landings = self._landings, []
        for landing in landings:
            landing.cancel()

    def check(self) -> None:
        """Fail if something that was planned did not happen.

        Raises:
            AssertionError: A planned fault was not met; the message names each.
        """
        if left := self.left:
            told = "\n".join(f"  {operation}: {fault}" for operation, fault in left)
            raise AssertionError(f"Planned, and never met by a request:\n{told}\n\n{self.report()}")

    def later(self, seconds: float, carry_out: Callable[[], object]) -> None:
        """Have a request carried out after so many seconds."""
        landing = _Landing(seconds, carry_out)
        with self._lock:
            self._landings = [each for each in self._landings if not each.done]
            self._landings.append(landing)
        landing.start()

    @property
    def pending(self) -> int:
        """How many requests are still to be carried out late."""
        return sum(not each.done for each in self._landings)

    def land(self) -> int:
        """Carry out now what is still to be carried out late, and return how many requests that were."""
        with self._lock:
            landings = [each for each in self._landings if not each.done]
        return sum(landing.now() for landing in landings)

    def attempts(self) -> list[Attempt]:
        """Return what is known of each request of an operation for which faults were planned, in order."""
        entries = list(self._journal)
        concerned = entries if ANY in self._operations else [e for e in entries if e.operation in self._operations]
        return [Attempt(entry, _next(entry, concerned[index + 1 :])) for index, entry in enumerate(concerned)]

    def report(self) -> str:
        """Return a table of the attempts: when each came, what it got, and whether `Retry-After` was kept to."""
        attempts = self.attempts()
        lines = [f"{'no.':>4}  {'at':<12}  {'operation':<26}  {'what it got':<44}  Retry-After"]
        lines += [
            f"{each.entry.number:>4}  {each.entry.at:%H:%M:%S.%f}"[:-3].ljust(18)
            + f"  {each.entry.operation or '-':<26}  {each.got:<44}  {each.patience}"
            for each in attempts
        ]
        lines += [f"   -  {'':<12}  {operation:<26}  never met: {fault}" for operation, fault in self.left]
        return "\n".join(line.rstrip() for line in lines)


class Attempt:
    """One request for which faults were planned.

    Attributes:
        entry: Its journal entry.
        waited: Seconds until the same request came again, by the world's clock or by the system's, whichever saw more
            time go by; None if it did not come again.
    """

    def __init__(self, entry: Entry, again: Entry | None) -> None:
        self.entry = entry
        self.waited: float | None = None
        if again is not None:
            by_clock = (again.at - entry.at).total_seconds()
            self.waited = max(by_clock, again.monotonic - entry.monotonic)

    @property
    def got(self) -> str:
        """What it got, in a few words."""
        return self.entry.verdict + (f" ({self.entry.fault})" if self.entry.fault else "")

    @property
    def honoured(self) -> bool | None:
        """Whether the client waited as long as `Retry-After` asked; None if it was not asked, or did not come again."""
        if self.entry.retry_after is None or self.waited is None:
            return None
        return self.waited >= self.entry.retry_after - _TOLERANCE

    @property
    def patience(self) -> str:
        """What there is to say of `Retry-After`, in a few words; nothing if it was not asked."""
        if self.entry.retry_after is None:
            return ""
        if self.waited is None:
            return f"{self.entry.retry_after:g} s, never came again"
        return f"{self.entry.retry_after:g} s, came after {self.waited:.3g} s: {'kept' if self.honoured else 'BROKEN'}"


_TOLERANCE = 0.01  # Seconds that clocks may differ by.


def _next(entry: Entry, later: list[Entry]) -> Entry | None:
    same = (entry.method, entry.path, entry.size, entry.body)
    return next((each for each in later if (each.method, each.path, each.size, each.body) == same), None)


class _Landing:
    """A request that is carried out later, once."""

    def __init__(self, seconds: float, carry_out: Callable[[], object]) -> None:
        self._carry_out = carry_out
        self._lock = threading.Lock()
        self._timer = threading.Timer(seconds, self.now)
        self._timer.daemon = True
        self.done = False

    def start(self) -> None:
        self._timer.start()

    def cancel(self) -> None:
        with self._lock:
            self.done = True
        self._timer.cancel()

    def now(self) -> bool:
        """Carry the request out, unless that has been done."""
        self._timer.cancel()
        with self._lock:
            if self.done:
                return False
            self._carry_out()
            self.done = True
            return True
