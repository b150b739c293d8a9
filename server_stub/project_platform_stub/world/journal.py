"""The journal: what came, from whom, and what became of it."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

KEPT = 1000  # Entries of a world; older ones give way.
_NOT_UNDERSTOOD = frozenset({400, 404, 405, 413, 415, 422})
MAX_KEPT_BODY = 16 * 1024  # Bytes; a longer body is not kept, so that a journal stays small.


class Entry(NamedTuple):
    """One request and what became of it.

    Attributes:
        number: Its number on this server; the first request is 1.
        at: When it came, by the world's clock.
        monotonic: When it came, in seconds of a clock that only goes forward.
        method: Its method.
        path: Its path as it was sent, with the query.
        operation: The operation it meant; None if it meant none.
        world: The world its token belongs to; None if that could not be told.
        identity: The key of the identity behind it; None if that could not be told.
        status: Status of the answer, as the service gave it; None if the service never got to it.
        ending: How the answer ended: `answered`, or what a fault made of it.
        fault: The fault that it met, if any.
        message: What the error body says, if the answer was one.
        code: What the error body says to programs.
        hints: What may have been meant.
        retry_after: Seconds after which the answer asked to come again.
        request_id: The answer's `X-Request-Id`.
        seconds: How long the service took.
        body: Its body; None if it was longer than 16 KiB.
        size: Bytes of its body.
        content_type: Its `Content-Type`.
    """

    number: int
    at: datetime
    monotonic: float
    method: str
    path: str
    operation: str | None
    world: str | None
    identity: str | None
    status: int | None
    ending: str
    fault: str | None
    message: str | None
    code: str | None
    hints: tuple[str, ...]
    retry_after: float | None
    request_id: str
    seconds: float
    body: bytes | None
    size: int
    content_type: str

    @property
    def verdict(self) -> str:
        """What became of it in a few words, such as `409 stale_precondition`."""
        words = [str(self.status)] if self.status else []
        if self.code:
            words.append(self.code)
        if self.ending != "answered":
            words.append(self.ending)
        return " ".join(words)

    @property
    def near_miss(self) -> bool:
        """Whether something else may have been meant: the request was not understood, or there is a hint."""
        return bool(self.hints) or self.status in _NOT_UNDERSTOOD

    def __str__(self) -> str:
        hints = "".join(f"\n      {hint}" for hint in self.hints)
        told = f": {self.message}" if self.message else ""
        return f"{self.number:>4}  {self.identity or '-'}  {self.method} {self.path}  {self.verdict}{told}{hints}"


class Journal:
    """The latest thousand requests of one world, or of none, in the order in which they were answered."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=KEPT)
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Entry]:
        with self._lock:
            return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def add(self, entry: Entry) -> None:
        """Add an entry."""
        with self._lock:
            self._entries.append(entry)

    def clear(self) -> None:
        """Forget all entries."""
        with self._lock:
            self._entries.clear()

    def of(self, operation: str) -> list[Entry]:
        """Return the entries of one operation."""
        return [entry for entry in self if entry.operation == operation]

    @property
    def near_misses(self) -> list[Entry]:
        """The entries in which something else may have been meant."""
        return [entry for entry in self if entry.near_miss]

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no requests"
