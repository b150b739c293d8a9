"""A function that is called in a thread, since neither a function of the user nor a decoder can be interrupted."""

from __future__ import annotations

import contextvars
import threading
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")


class NotInTimeError(Exception):
    """The function did not return in time. It goes on in its thread."""


def in_time(function: Callable[[], T], seconds: float) -> T:
    """Return what a function returns, or raise what it raises.

    Raises:
        NotInTimeError: It takes more seconds.
    """
    ended = threading.Event()
    results: list[T] = []
    errors: list[BaseException] = []

    def call() -> None:
        try:
            results.append(function())
        except BaseException as error:  # noqa: BLE001  # raised by the caller
            errors.append(error)
        ended.set()

    threading.Thread(target=contextvars.copy_context().run, args=(call,), name="in-time", daemon=True).start()
    if not ended.wait(min(seconds, threading.TIMEOUT_MAX)):
        raise NotInTimeError
    try:
        if errors:
            raise errors[0]
        return results.pop()
    finally:
        errors.clear()  # the traceback of an error refers to this frame
