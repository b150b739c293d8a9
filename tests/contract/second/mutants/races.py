"""Services that check and write in two steps, between which other requests are performed."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable
from typing import Any

from ..mutant import Kind, patch
from ..service import Service, calendar, records

races = Kind("two steps")

PAUSE = 0.05  # seconds


def interrupted(function: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function after which other requests are performed."""
    lock = threading.RLock()
    # A descriptor of the class has precedence over the lock of the instance.
    Service._one_at_a_time = property(lambda self: lock, lambda self, value: None)

    def altered(*arguments: Any, **options: Any) -> Any:
        value = function(*arguments, **options)
        lock.release()
        time.sleep(PAUSE)
        lock.acquire()
        return value

    return altered


@races(
    "calendar_book",
    "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken.",
)
def simultaneous_bookings_of_a_slot_find_it_free() -> None:
    patch(calendar, "taken", interrupted(calendar.taken))


@races(
    "records_update",
    "When either is stale, the response is 409 and the record is unchanged.",
)
def simultaneous_updates_find_their_precondition_met() -> None:
    patch(records, "stale", interrupted(records.stale))
