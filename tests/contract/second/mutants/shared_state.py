"""Services that requests share too much of: values that two requests write at the same time, and answers that are cached."""

from __future__ import annotations

import threading
import time
from copy import deepcopy
from datetime import datetime
from typing import Any

from ..mutant import Json, Kind, instead, patch
from ..service import app, calendar, labels, records
from ..service.app import Call, Refusal, Reply, Request, Service

simultaneous = Kind("simultaneous requests")
cached = Kind("caches of a later version")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
STALE = "When either is stale, the response is 409 and the record is unchanged."
TAKEN = (
    "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was "
    "taken."
)
CACHE_SECONDS = 60  # the usual lifetime of an answer of a calendar provider
PAUSE_SECONDS = 0.03  # the time that a query to a database takes

_lock = threading.RLock()


def release_between() -> None:
    """Give all services one lock, which `pause` releases."""
    respond = Service.__call__

    def with_lock(self: Service, request: Request) -> Reply:
        vars(self)["_one_at_a_time"] = _lock
        return respond(self, request)

    patch(Service, "__call__", with_lock)


def pause() -> None:
    """Let other requests run in the middle of this one."""
    _lock.release()
    time.sleep(PAUSE_SECONDS)
    _lock.acquire()


@simultaneous("records_update", STALE)
def preconditions_are_checked_outside_of_the_transaction() -> None:
    stale = records.stale

    def before_the_transaction(record: Json, body: Json) -> bool:
        result = stale(record, body)
        if not result and body.keys() & {"expectedData", "expectedStatus"}:
            pause()
        return result

    release_between()
    patch(records, "stale", before_the_transaction)


@simultaneous("records_update", MERGE)
def the_data_that_an_update_has_read_are_written_back() -> None:
    apply_changes = records.apply_changes

    def written_back(call: Call, record: Json, body: Json) -> None:
        read = deepcopy(record["data"])
        pause()
        record["data"] = read
        apply_changes(call, record, body)

    release_between()
    patch(records, "apply_changes", written_back)


@simultaneous("calendar_book", TAKEN)
def two_simultaneous_bookings_take_the_same_slot() -> None:
    taken = calendar.taken

    def asked(call: Call, id: str, begin: datetime, end: datetime, but: str | None = None) -> bool:
        result = taken(call, id, begin, end, but)
        if not result:
            pause()
        return result

    release_between()
    patch(calendar, "taken", asked)


@simultaneous("labels_export", "`itemIds` (array of uuid)")
def exports_are_written_to_the_same_temporary_file() -> None:
    document = labels.document
    files: dict[str, bytes] = {}

    def from_the_file(items: list[Json], review: bytes) -> bytes:
        files["labels.pdf"] = document(items, review)
        pause()
        return files["labels.pdf"]

    release_between()
    patch(labels, "document", from_the_file)


@cached("calendar_book", TAKEN)
@instead(calendar, "taken", {})
def slots_are_compared_with_cached_busy_intervals(
    known: dict[tuple[str, str], tuple[float, list[Json]]],
    taken: Any,
    call: Call,
    id: str,
    *slot: datetime,
    but: str | None = None,
) -> bool:
    if but is not None:
        return bool(taken(call, id, *slot, but))
    read, events = known.get((call.project, id), (float("-inf"), []))
    if time.monotonic() - read > CACHE_SECONDS:
        events = list(calendar.events_of(call, id))
        known[call.project, id] = time.monotonic(), events
    return any(calendar.overlaps(event, *slot) for event in events)


@cached("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
@instead(app, "enter", set())
def the_caller_is_no_part_of_the_key_of_cached_permissions(allowed: Any, enter: Any, call: Call) -> None:
    key = (call.path.get("projectId", "").lower(), call.operation)
    try:
        enter(call)
    except Refusal as refusal:
        if refusal.status != 403 or call.operation != "templates_apply" or key not in allowed:
            raise
    allowed.add(key)
