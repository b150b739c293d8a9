"""The journal of a world: its requests, each with the identity behind it and the response."""

from __future__ import annotations

import threading
from collections import deque
from collections.abc import Iterator
from datetime import datetime
from typing import NamedTuple

MAX_ENTRIES = 1000  # Per world; the oldest ones are dropped.
_NOT_UNDERSTOOD = frozenset({400, 404, 405, 413, 415, 422})
MAX_STORED_BODY = 16 * 1024  # Bytes; longer bodies are left out, so that a journal stays small.


class Entry(NamedTuple):
    """A request and its response.

    Attributes:
        number: Number of the request on this server; the first one is 1.
        at: When the request arrived, by the world's clock.
        monotonic: When the request arrived, in seconds of `time.monotonic`.
        method: Method of the request.
        path: Path as it was sent, with the query.
        operation: The operation; None if no operation has this method and path.
        world: Identifier of the world that the token belongs to; None without a valid token.
        identity: Key of the identity that the token belongs to; None without a valid token.
        status: Status that the service returned; None if a fault replaced the request.
        ending: How the response ended: `answered`, or what a fault did to it.
        fault: The fault that the request met, if any.
        message: `message` of the error body; None for a success.
        code: `code` of the error body; None for a success.
        hints: Likely mistakes in the request, each as a sentence.
        retry_after: Seconds of the planned `Retry-After`.
        request_id: `X-Request-Id` of the response.
        seconds: Seconds that the service took.
        body: Body of the request; None if it was longer than 16 KiB.
        size: Size of the request body in bytes.
        content_type: `Content-Type` of the request.
        traceparent: `traceparent` of the request (W3C Trace Context); empty without one.
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
    traceparent: str

    @property
    def verdict(self) -> str:
        """Status, code and ending in a few words, such as `409 stale_precondition`."""
        words = [str(self.status)] if self.status else []
        if self.code:
            words.append(self.code)
        if self.ending != "answered":
            words.append(self.ending)
        return " ".join(words)

    @property
    def line(self) -> str:
        """The request and its response on one line, without control characters, which could change a terminal."""
        parts = [f"{self.at:%H:%M:%S}", self.identity or "-", self.method, self.path, self.verdict]
        parts.append(f"{self.seconds * 1000:.1f} ms")
        if self.fault:
            parts.append(f"fault: {self.fault}")
        text = "  ".join([*parts, *filter(None, [self.message]), *self.hints])
        return "".join(letter if letter.isprintable() else f"\\u{ord(letter):04x}" for letter in text)

    @property
    def near_miss(self) -> bool:
        """Whether the request is likely a mistake: it has a hint, or a status such as 400 or 404."""
        return bool(self.hints) or self.status in _NOT_UNDERSTOOD

    def __str__(self) -> str:
        hints = "".join(f"\n      {hint}" for hint in self.hints)
        message = f": {self.message}" if self.message else ""
        return f"{self.number:>4}  {self.identity or '-'}  {self.method} {self.path}  {self.verdict}{message}{hints}"


class Journal:
    """The latest thousand requests of a world, or the latest that belong to no world, in the order of their responses."""

    def __init__(self) -> None:
        self._entries: deque[Entry] = deque(maxlen=MAX_ENTRIES)
        self._lock = threading.Lock()

    def __iter__(self) -> Iterator[Entry]:
        with self._lock:
            return iter(list(self._entries))

    def __len__(self) -> int:
        return len(self._entries)

    def __getitem__(self, index: int) -> Entry:
        return self._entries[index]

    def add(self, entry: Entry) -> None:
        """Append an entry, and drop the oldest one if there are too many."""
        with self._lock:
            self._entries.append(entry)

    def clear(self) -> None:
        """Delete all entries."""
        with self._lock:
            self._entries.clear()

    def of(self, operation: str) -> list[Entry]:
        """Return the entries of one operation."""
        return [entry for entry in self if entry.operation == operation]

    @property
    def near_misses(self) -> list[Entry]:
        """The entries of requests that are likely mistakes."""
        return [entry for entry in self if entry.near_miss]

    def __str__(self) -> str:
        return "\n".join(map(str, self)) or "no requests"
