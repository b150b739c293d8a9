"""The report of the stub about a test: the received requests, and the planned faults that were not met."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from project_platform_stub import Entry, Stub, World

MAX_REQUESTS = 20  # The latest ones usually show why a test failed.
MAX_BODY = 200  # Characters.

# Access tokens are JWTs, which begin with `{"` in Base64; session credentials begin with `session_`.
_CREDENTIALS = re.compile(r"eyJ[\w-]+(?:\.[\w-]*){0,2}|\bsession_[\w.-]+")
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != ord("\n")}


class StubReport:
    """The report of the stub about one test, which has a world."""

    def __init__(self, stub: Stub, world: World) -> None:
        self._stub = stub
        self._world = world
        self._first = max((entry.number for entry in stub.unmatched_requests), default=0) + 1

    def unmet_faults(self) -> str:
        """Return the planned faults that no request met, with the way out; an empty string if there are none."""
        faults = self._world.faults
        if not faults.left:
            return ""
        return f"{faults.describe_left()}\nTo permit that, call stub_faults.clear() at the end of the test."

    def sections(self) -> Iterable[tuple[str, str]]:
        """Return the sections of a report, each with its title and without credentials."""
        yield "stub journal", _sanitized(self._journal())
        if faults := self._faults():
            yield "stub faults", _sanitized(faults)

    def _journal(self) -> str:
        # Requests of this test that belong to no world, because their token was invalid or their path wrong.
        unmatched_requests = [entry for entry in self._stub.unmatched_requests if entry.number >= self._first]
        entries = sorted([*self._world.journal, *unmatched_requests], key=lambda entry: entry.number)
        if not entries:
            return "no requests"
        near_misses = [entry for entry in entries if entry.near_miss][-MAX_REQUESTS:]
        count = f"the last {MAX_REQUESTS} of {len(entries)}" if len(entries) > MAX_REQUESTS else len(entries)
        return "\n".join(
            [
                *(["Near misses:", *map(_with_details, near_misses), ""] if near_misses else []),
                f"Requests ({count}):",
                *(str(entry).partition("\n")[0] for entry in entries[-MAX_REQUESTS:]),
            ]
        )

    def _faults(self) -> str:
        faults = self._world.faults
        if not faults.attempts() and not faults.left:
            return ""
        pending = (
            f"\nLate requests that were not carried out by the end of the test: {faults.pending}"
            if faults.pending
            else ""
        )
        return faults.report() + pending


def _with_details(entry: Entry) -> str:
    """Return an entry with its hints and the beginning of its body."""
    if not entry.body:
        return str(entry)
    body = entry.body.decode(errors="backslashreplace")
    return f"{entry}\n      body: {body[:MAX_BODY]}{'...' if len(body) > MAX_BODY else ''}"


def _sanitized(text: str) -> str:
    """Return a text without credentials, and with control characters escaped."""
    return _CREDENTIALS.sub("[redacted]", text).translate(_CONTROLS)
