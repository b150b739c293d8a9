"""What the stub can tell of a test that failed, and whether all happened that the test planned."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from project_platform_stub import Entry, Stub, World

SHOWN = 20  # Requests; the latest ones tell why a test failed.
SHOWN_BODY = 200  # Characters.

# Access tokens are JWTs, which begin with `{"` in base64; session credentials end in a proof.
_CREDENTIALS = re.compile(r"eyJ[\w-]+(?:\.[\w-]*){0,2}|\bsession_[\w.-]+")
_CONTROLS = {code: f"\\x{code:02x}" for code in (*range(0x20), *range(0x7F, 0xA0)) if code != ord("\n")}


class Account:
    """An account of one test.

    Args:
        stub: The stub that it uses.
        world: The world that was made for it.
    """

    def __init__(self, stub: Stub, world: World) -> None:
        self._stub = stub
        self._world = world
        self._before = max((stray.number for stray in stub.strays), default=0)

    def leftovers(self) -> str:
        """Return what was planned and did not happen, or an empty text."""
        left = self._world.faults.left
        if not left:
            return ""
        told = "\n".join(f"  {operation}: {fault}" for operation, fault in left)
        return f"Planned, and never met by a request:\n{told}\nIf it need not be met, call stub_faults.clear()."

    def sections(self) -> Iterable[tuple[str, str]]:
        """Return the sections of a report, each with its title. None of them shows a credential."""
        yield "stub journal", _shown(self._journal())
        if faults := self._faults():
            yield "stub faults", _shown(faults)

    def _journal(self) -> str:
        # A request without a good token or with a wrong path belongs to no world; it came from this test all the same.
        strays = [stray for stray in self._stub.strays if stray.number > self._before]
        entries = sorted([*self._world.journal, *strays], key=lambda entry: entry.number)
        if not entries:
            return "no requests"
        near_misses = [entry for entry in entries if entry.near_miss][-SHOWN:]
        count = f"the last {SHOWN} of {len(entries)}" if len(entries) > SHOWN else len(entries)
        return "\n".join(
            [
                *(["Near misses:", *map(_whole, near_misses), ""] if near_misses else []),
                f"Requests ({count}):",
                *(str(entry).partition("\n")[0] for entry in entries[-SHOWN:]),
            ]
        )

    def _faults(self) -> str:
        faults = self._world.faults
        if not faults.attempts() and not faults.left:
            return ""
        pending = f"\nTo be carried out late, and not when the test ended: {faults.pending}" if faults.pending else ""
        return faults.report() + pending


def _whole(entry: Entry) -> str:
    """Return an entry with its hints and the beginning of its body."""
    if not entry.body:
        return str(entry)
    body = entry.body.decode(errors="backslashreplace")
    return f"{entry}\n      body: {body[:SHOWN_BODY]}{'...' if len(body) > SHOWN_BODY else ''}"


def _shown(text: str) -> str:
    """Return a text without credentials, and without what a terminal would obey."""
    return _CREDENTIALS.sub("[redacted]", text).translate(_CONTROLS)
