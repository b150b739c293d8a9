"""Ends the process with a report if a run hangs: a call that never ends has no verdict."""

from __future__ import annotations

import faulthandler
import os
import sys
import threading
import time
from collections.abc import Callable
from types import TracebackType
from typing import Final, Self

HUNG: Final = 60.0  # seconds; the deadline of a call is 3


class Watchdog:
    """Watches the runs of a process while its `with` statement runs."""

    def __init__(self) -> None:
        self._describe: Callable[[], str] | None = None
        self._began = time.monotonic()
        self._ended = threading.Event()

    def __enter__(self) -> Self:
        threading.Thread(target=self._watch, daemon=True).start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._ended.set()

    def watch(self, describe: Callable[[], str]) -> None:
        """Watch another run, which is described by the given function if it hangs."""
        self._began, self._describe = time.monotonic(), describe

    def _watch(self) -> None:
        while not self._ended.wait(1.0):
            if self._describe is not None and time.monotonic() - self._began > HUNG:
                print(f"a run hangs: {self._describe()}", file=sys.__stderr__, flush=True)
                faulthandler.dump_traceback(file=sys.__stderr__)
                os._exit(1)
