"""The logger of the SDK, and its warnings about writes whose outcome is unknown; `observation.py` writes the events.

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

if TYPE_CHECKING:
    from collections.abc import Callable
    from logging import Logger

LOG_VARIABLE: Final = "PROJECT_PLATFORM_LOG"
_NAME: Final = "project_platform"
# The values of logging.DEBUG, logging.INFO and logging.WARNING.
DEBUG: Final = 10
INFO: Final = 20
WARNING: Final = 30
_LEVELS: Final = {"debug": DEBUG, "info": INFO}
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
    return takes(INFO)


def warn_if_unknown(error: PlatformError) -> None:
    """Write a warning if an error leaves open whether a write was applied."""
    if error.applied != "unknown":
        return
    last = error.attempts[-1] if error.attempts else None
    count = len(error.attempts)
    write(
        WARNING,
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
    write(
        WARNING,
        f"{operation_id}: it was interrupted ({kind}), and it is not known whether it was applied",
        operation=operation_id,
        applied="unknown",
        error=kind,
    )


def warn_of_row(row: int, error: str | None) -> None:
    """Write a warning about a row of a bulk run that ended as unknown."""
    text = f"row {row} of a bulk run: it is not known whether it was applied"
    write(WARNING, text, applied="unknown", error=error)


def warn_of_listener(listener: object, error: Exception) -> None:
    """Write a warning about a listener that raised an exception."""
    name = getattr(listener, "__qualname__", type(listener).__qualname__)
    text = f"the listener {name} raised {type(error).__name__}, which changes no call; it is not reported again"
    write(WARNING, text, exception=error, error=type(error).__name__)


def warn_of_strategy(error: Exception) -> None:
    """Write a warning about a strategy of a retry policy that raised an exception."""
    text = f"stop or wait of the retry policy raised {type(error).__name__}; the call is not sent again"
    write(WARNING, text, exception=error, error=type(error).__name__)


def show_log(name: str | None = None) -> None:
    """Write the log to standard error, from a level on.

    Args:
        name: `info` or `debug`; default: the environment variable `PROJECT_PLATFORM_LOG`, without which nothing is written.

    Raises:
        UsageError: The variable has an unknown value.
    """
    name = os.environ.get(LOG_VARIABLE) or name
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
    global takes  # noqa: PLW0603  # saves two calls of functions in every call of the service
    if "logging" not in sys.modules:
        return False
    takes = _logger().isEnabledFor
    return takes(level)


takes: Callable[[int], bool] = _takes_after_import
"""Returns whether the logger takes records of a level."""


def write(level: int, text: str, *, exception: Exception | None = None, **fields: Any) -> None:
    """Write a record, which has all fields: those without a value are None, so that a formatter may name any."""
    with contextlib.suppress(Exception):  # of a handler or a filter of the program
        if takes(level):
            _logger().log(level, "%s", text, extra={**_FIELDS, **fields}, exc_info=exception)
