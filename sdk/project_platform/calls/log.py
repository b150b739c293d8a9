"""The log of calls: a listener of events, and the warning about a write whose outcome is unknown.

A program that has not imported `logging` has no handler, so the log does not import it either, which would take longer than the
rest of a short program.
"""

from __future__ import annotations

import contextlib
import functools
import os
import sys
from typing import TYPE_CHECKING, Any, Final

from ..errors import PlatformError, UsageError
from .events import AttemptEnded, AttemptStarted, Event, RowEnded, Settled, TokenFetched, Waiting

if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger

LOG_VARIABLE: Final = "PROJECT_PLATFORM_LOG"
_NAME: Final = "project_platform"
# The values of logging.DEBUG, logging.INFO and logging.WARNING.
_DEBUG: Final = 10
_INFO: Final = 20
_WARNING: Final = 30
_LEVELS: Final = {"debug": _DEBUG, "info": _INFO}
_FIELDS: Final[dict[str, Any]] = dict.fromkeys(
    (
        "operation",
        "status",
        "fate",
        "attempt",
        "wait",
        "request_id",
        "duration",
        "applied",
        "error",
        "call_id",
    )
)


def logs_events() -> bool:
    """Return whether the log takes any event. Every call asks."""
    return _takes(_INFO)


def log_event(event: Event) -> None:
    """Write an event to the log: attempts at DEBUG; retries, waits and settled doubts at INFO; an unknown row at WARNING."""
    match event:
        case AttemptEnded():
            if _takes(_DEBUG):
                _log_attempt(event)
        case Waiting():
            after = event.status or event.error
            text = f"waiting {event.seconds:.1f} s before attempt {event.attempt}, after {after}"
            _log(_INFO, event, text, attempt=event.attempt, wait=event.seconds, status=event.status, error=event.error)
        case AttemptStarted() if event.attempt > 1:
            _log(_INFO, event, f"sending attempt {event.attempt} ({event.cause})", attempt=event.attempt)
        case TokenFetched() if event.renewed or event.error:
            text = f"a token took {event.seconds:.1f} s" + (f" and failed: {event.error}" if event.error else "")
            _log(_INFO, event, text, duration=event.seconds, error=event.error)
        case Settled():
            text = f"an answer was lost, and after {event.attempts} attempts it is known: applied: {event.applied}"
            _log(_INFO, event, text, applied=event.applied, attempt=event.attempts)
        case RowEnded(applied="unknown"):
            _write(
                _WARNING,
                f"row {event.row} of a bulk run: it is not known whether it was applied",
                applied="unknown",
                error=event.error,
            )
        case _:
            pass


def warn_if_unknown(error: PlatformError) -> None:
    """Write a warning if an error leaves open whether a write was applied."""
    if error.applied != "unknown":
        return
    last = error.attempts[-1] if error.attempts else None
    count = len(error.attempts)
    _write(
        _WARNING,
        f"{error.operation_id}: it is not known whether it was applied ({count} attempt{'s' * (count != 1)}, "
        f"{type(error).__name__})",
        operation=error.operation_id,
        applied="unknown",
        error=type(error).__name__,
        attempt=count,
        status=last.status if last else None,
        fate=last.delivery if last else None,
        request_id=last.request_id if last else None,
    )


def warn_of_interruption(operation_id: str, interruption: BaseException) -> None:
    """Write a warning about a write that was interrupted, and may have been applied."""
    kind = type(interruption).__name__
    _write(
        _WARNING,
        f"{operation_id}: it was interrupted ({kind}), and it is not known whether it was applied",
        operation=operation_id,
        applied="unknown",
        error=kind,
    )


def warn_of_listener(listener: object, error: Exception) -> None:
    """Write a warning about a listener that raised an exception."""
    name = getattr(listener, "__qualname__", type(listener).__qualname__)
    text = f"the listener {name} raised {type(error).__name__}, which changes no call; it is not reported again"
    _write(_WARNING, text, exception=error, error=type(error).__name__)


def show_log() -> None:
    """Write the log to standard error if the environment variable `PROJECT_PLATFORM_LOG` says so.

    Raises:
        UsageError: The variable has an unknown value.
    """
    name = os.environ.get(LOG_VARIABLE)
    if not name:
        return
    level = _LEVELS.get(name.lower())
    if level is None:
        raise UsageError(f"{LOG_VARIABLE} is {name!r}; give info or debug")
    _add_terminal_handler()
    _logger().setLevel(level)


@functools.cache
def _add_terminal_handler() -> None:
    import logging

    handler: logging.StreamHandler[Any] = logging.StreamHandler(sys.stderr)
    handler.setFormatter(logging.Formatter("%(asctime)s %(levelname)-7s %(name)s  %(message)s"))
    _logger().addHandler(handler)


@functools.cache
def _logger() -> Logger:
    import logging

    logger = logging.getLogger(_NAME)
    logger.addHandler(logging.NullHandler())  # the program decides where the log is written
    return logger


def _takes_after_import(level: int) -> bool:
    """Return whether the logger takes records of a level; from the import of `logging` on, its own method does."""
    global _takes  # noqa: PLW0603  # saves two calls of functions in every call of the service
    if "logging" not in sys.modules:
        return False
    _takes = _logger().isEnabledFor
    return _takes(level)


_takes: Callable[[int], bool] = _takes_after_import


def _log_attempt(event: AttemptEnded) -> None:
    call = event.call
    request = f", request {event.request_id}" if event.request_id else ""
    _log(
        _DEBUG,
        event,
        f"{call.method} {call.path} attempt {event.attempt}: {event.status or event.error} in "
        f"{event.seconds * 1000:.0f} ms ({event.fate}{request})",
        attempt=event.attempt,
        status=event.status,
        fate=event.fate,
        request_id=event.request_id,
        duration=event.seconds,
        error=event.error,
    )


def _log(
    level: int, event: AttemptEnded | AttemptStarted | Waiting | TokenFetched | Settled, text: str, **fields: Any
) -> None:
    operation_id = event.call.operation_id
    _write(level, f"{operation_id}: {text}", operation=operation_id, call_id=event.call.id, **fields)


def _write(level: int, text: str, *, exception: Exception | None = None, **fields: Any) -> None:
    """Write a record, which has all fields: those without a value are None, so that a formatter may name any."""
    with contextlib.suppress(Exception):  # of a handler or a filter of the program
        if _takes(level):
            _logger().log(level, "%s", text, extra={**_FIELDS, **fields}, exc_info=exception)
