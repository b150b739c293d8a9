"""The listener that writes events to the log. It is imported when the log takes them."""

from __future__ import annotations

from typing import Any

from . import log
from .events import AttemptEnded, AttemptStarted, Event, Settled, TokenFetched, Waiting
from .log import DEBUG, INFO, write


def log_event(event: Event) -> None:
    """Write an event to the log: attempts at DEBUG; retries, waits and settled doubts at INFO."""
    match event:
        case AttemptEnded():
            if log.takes(DEBUG):
                _write_attempt(event)
        case Waiting():
            after = event.status or event.error
            text = f"waiting {event.seconds:.1f} s before attempt {event.attempt}, after {after}"
            _write_of_call(
                INFO, event, text, attempt=event.attempt, wait=event.seconds, status=event.status, error=event.error
            )
        case AttemptStarted() if event.attempt > 1:
            _write_of_call(INFO, event, f"sending attempt {event.attempt} ({event.cause})", attempt=event.attempt)
        case TokenFetched() if event.renewed or event.error:
            text = f"a token took {event.seconds:.1f} s" + (f" and failed: {event.error}" if event.error else "")
            _write_of_call(INFO, event, text, duration=event.seconds, error=event.error)
        case Settled():
            text = f"an answer was lost, and after {event.attempts} attempts it is known: applied: {event.applied}"
            _write_of_call(INFO, event, text, applied=event.applied, attempt=event.attempts)
        case _:
            pass


def _write_attempt(event: AttemptEnded) -> None:
    call = event.call
    request = f", request {event.request_id}" if event.request_id else ""
    _write_of_call(
        DEBUG,
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


def _write_of_call(
    level: int, event: AttemptEnded | AttemptStarted | Waiting | TokenFetched | Settled, text: str, **fields: Any
) -> None:
    operation_id = event.call.operation_id
    write(level, f"{operation_id}: {text}", operation=operation_id, call_id=event.call.id, **fields)
