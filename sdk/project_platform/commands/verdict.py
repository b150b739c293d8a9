"""Exit statuses, and the two lines about the outcome of a call: the verdict, and the next step."""

from __future__ import annotations

import argparse
import contextlib
import re
import shlex
import signal
import threading
from collections.abc import Callable, Generator, Sequence
from typing import TYPE_CHECKING, Any, Final

from .. import errors
from ..calls.retry import RETRIED_STATUSES
from .parser import connection_words
from .standard_error import say

if TYPE_CHECKING:
    from ..calls.operation import Applied, AttemptRecord

DONE: Final = 0
FAILED: Final = 1
USAGE: Final = 2
NO: Final = 3
UNKNOWN: Final = 4
NO_RESPONSE: Final = 5
YES_UNREADABLE: Final = 6
PARTIAL: Final = 7
INTERRUPTED: Final = 130  # 128 and the number of SIGINT, as shells have it


# Also on the pages that are generated for Python.
SLOT_TAKEN: Final = (
    "this call booked nothing. If an earlier one with an unknown outcome may have, search the calendar for its event; otherwise "
    "choose a slot that `calendar.busy` does not list"
)


def status_of(error: errors.PlatformError) -> int:
    """Return the exit status of an error of the SDK."""
    if error.applied == "unknown":
        return UNKNOWN
    if error.applied in {"yes", "in effect"}:
        return YES_UNREADABLE
    if isinstance(error, errors.UsageError):
        return USAGE
    return NO_RESPONSE if isinstance(error, errors.TransportError) else NO


def advice(error: errors.PlatformError) -> str | None:
    """Return the next step after an error; None if its message says it."""
    if error.applied == "unknown":
        return error.advice if isinstance(error, errors.InDoubtError) else None
    if error.applied in {"yes", "in effect"}:
        if isinstance(error, errors.ResponseTooLargeError):
            return None
        return (
            "it only reads, so it can be sent again"
            if _reads(error.operation_id)
            else "a write was applied, so do not send it again"
        )
    if isinstance(error, errors.StatusError) and error.retry_after is not None:
        return f"send it again in {error.retry_after:g} s, as the service asks"
    if isinstance(error, errors.StatusError) and error.status in RETRIED_STATUSES:
        return "send it again later"
    if isinstance(error, errors.StatusError) and error.status < 400:  # noqa: PLR2004  # a redirect
        return "correct the base URL"
    text = advice_of_kind(error)
    if isinstance(error, errors.PermissionDeniedError) and str(error.operation_id).startswith("calendar"):
        return f"{text}; and whether the calendar is connected with the scope to write events"
    return text


def _reads(operation_id: str | None) -> bool:
    from .._generated.commands import COMMANDS  # only an error needs it

    return any(command.reads and name.replace(".", "_") == operation_id for name, command in COMMANDS.items())


def advice_of_kind(error: errors.PlatformError) -> str | None:
    """Return the next step after an error of this class, whether or not the write was applied."""
    return next((text for kind, text in _ADVICE if isinstance(error, kind)), None)


_ADVICE: Final[tuple[tuple[type[errors.PlatformError], str], ...]] = (
    (errors.UsageError, ""),
    (errors.AuthenticationError, "get a new token; `project-platform whoami --offline` shows when it expires"),
    (
        errors.PermissionDeniedError,
        "check the project; `project-platform whoami` shows it, whose token it is, and the permissions of the token",
    ),
    (errors.NotFoundError, "check the base URL, the project and the identifier"),
    (
        errors.StalePreconditionError,
        "state in the preconditions what the record has now, which `project-platform call records.update RECORD_ID --data '{}'` prints",
    ),
    (errors.SlotTakenError, SLOT_TAKEN),
    (errors.ServerError, "send it again later"),
    (errors.StatusError, "change the request: the service refuses it as it is"),
    (errors.NotSentError, "nothing was sent; send it again when the cause is gone"),
    (errors.TransportError, "send it again, perhaps with a longer --timeout"),
)


# Names of the arguments of a client in messages of the SDK.
_OPTIONS: Final = {
    "give token, or": "give token_file or token_command in a profile, or",
    "pass allow_insecure=True": "give --allow-insecure",
    "give project_id": "give --project",
    "give base_url": "give --base-url",
    "give the credential as token": "give the credential as PROJECT_PLATFORM_TOKEN",
    "give the client a larger limit": "send it in Python, where the client has max_response_bytes",
    "give a datetime with tzinfo": "give it as in 2026-11-20T09:00:00+01:00",
    "the argument time_zone": "--time-zone",
    "the error is of a call": "the file is of a call",
    "this client is for": "the connection is to",
    "settle it with a client of that deployment": "give --base-url or --profile of that deployment",
    "a larger max_failures": "a larger --max-failures",
}


def with_options(message: str) -> str:
    """Return a message of the SDK with the names that arguments of a client have on the command line."""
    for argument, option in _OPTIONS.items():
        message = message.replace(argument, option)
    return message


def advice_of_command(error: errors.PlatformError, given: argparse.Namespace) -> str | None:
    """Return what to do about an error, in which commands have the options of the connection that were given."""
    text = advice(error)
    if text is None:
        return None
    words = connection_words(given)
    text = text.replace("RECORD_ID", shlex.quote(getattr(given, "record_id", "RECORD_ID")))
    return (
        re.sub("`(project-platform .*?)`", lambda command: f"`{command[1]} {shlex.join(words)}`", text)
        if words
        else text
    )


def without_error(advice: str | None) -> str | None:
    """Return the advice of an error as a person follows it who has no error in Python."""
    return advice and re.sub(r"compare error\.seen, or (.*?) if there is none, with", r"compare \1 with", advice)


def reported(name: str, run: Callable[[], int], given: argparse.Namespace) -> int:
    """Run a command; print its error with the verdict and what to do, and return its exit status.

    Args:
        name: The words after `project-platform`.
        run: Runs the command.
        given: The options that were given, of which commands in the advice have those of the connection.
    """
    try:
        with _interruptible():
            return run()
    except errors.PlatformError as error:
        _report(name, error)
        if text := advice_of_command(error, given):
            say(f"what to do: {text}")
        return status_of(error)
    except BrokenPipeError:
        raise
    except OSError as error:
        say(f"project-platform {name}: {error}")
        return FAILED
    except KeyboardInterrupt as error:
        _report(name, error, "interrupted")
        return INTERRUPTED


@contextlib.contextmanager
def _interruptible() -> Generator[None]:
    """Take SIGTERM and SIGHUP for Ctrl+C, and no second one, as `timeout` sends it: a write in doubt is saved after the first."""
    ends: list[signal.Signals] = [signal.SIGTERM, *([signal.SIGHUP] if hasattr(signal, "SIGHUP") else [])]
    handlers: dict[signal.Signals, Any] = {
        signal.SIGINT: signal.default_int_handler,
        **dict.fromkeys(ends, signal.SIG_DFL),
    }
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    # One that the program handles, or ignores as under nohup, stays as it is.
    handlers = {number: handler for number, handler in handlers.items() if signal.getsignal(number) is handler}

    def interrupt(number: int, frame: object) -> None:
        for either in handlers:
            signal.signal(either, signal.SIG_IGN)
        raise KeyboardInterrupt

    try:
        for number in handlers:
            signal.signal(number, interrupt)
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)


def _report(name: str, error: BaseException, text: str | None = None) -> None:
    message = str(error) if text is None else text
    if isinstance(error, errors.InDoubtError):
        message = message.removesuffix(f"; {error.advice}")  # printed by itself
    if isinstance(error, errors.UsageError | errors.ResponseTooLargeError):  # whose messages are of the SDK
        message = with_options(message)
    say(f"project-platform {name}: {message}")
    for note in getattr(error, "__notes__", ()):
        say(f"  {note}")


def confirm(name: str, applied: Applied, attempts: Sequence[AttemptRecord]) -> None:
    """Print the verdict of a write that succeeded."""
    count = f"{len(attempts)} attempt{'s' if len(attempts) > 1 else ''}"
    meaning = ", by this or by another write" if applied == "in effect" else ""
    say(f"{name}: applied: {applied}{meaning} (status {attempts[-1].status}, {count})")
