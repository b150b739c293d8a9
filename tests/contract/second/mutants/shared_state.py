"""Services that requests share too much of: values that two requests write at the same time, and answers that are cached."""

import threading
import time
from copy import deepcopy

from ..mutant import Kind, instead
from ..service import app, calendar, labels, records
from ..service.app import Refusal, Service
from .sentences import EXPORT, MERGE, STALE, SUB_PROJECTS, TAKEN

mutant = Kind("shared state")

CACHE_SECONDS = 60  # the usual lifetime of a response of a calendar provider
PAUSE_SECONDS = 0.03  # the time that a query to a database takes

_lock = threading.RLock()


def released(owner, name):
    """Replace a function with one that may pause: all services have one lock, which `pause` releases."""

    def way(change):
        @instead(Service, "__call__")
        def with_lock(respond, self, request):
            vars(self)["_one_at_a_time"] = _lock
            return respond(self, request)

        instead(owner, name)(change)

    return way


def pause():
    """Let other requests run in the middle of this one."""
    _lock.release()
    time.sleep(PAUSE_SECONDS)
    _lock.acquire()


@mutant.change(STALE, "records_update", at=released(records, "stale"))
def preconditions_are_checked_outside_of_the_transaction(stale, record, body):
    result = stale(record, body)
    if not result and body.keys() & {"expectedData", "expectedStatus"}:
        pause()
    return result


@mutant.change(MERGE, "records_update", at=released(records, "apply_changes"))
def the_data_that_an_update_has_read_are_written_back(apply_changes, call, record, body):
    read = deepcopy(record["data"])
    pause()
    record["data"] = read
    apply_changes(call, record, body)


@mutant.change(TAKEN, "calendar_book", at=released(calendar, "taken"))
def two_simultaneous_bookings_take_the_same_slot(taken, *slot, but=None):
    result = taken(*slot, but)
    if not result:
        pause()
    return result


@mutant.change(EXPORT, "labels_export", at=released(labels, "document"), memory={})
def exports_are_written_to_the_same_temporary_file(files, document, items, review):
    files["labels.pdf"] = document(items, review)
    pause()
    return files["labels.pdf"]


@mutant.change(TAKEN, "calendar_book", at=instead(calendar, "taken"), memory={})
def slots_are_compared_with_cached_busy_intervals(known, taken, call, id, *slot, but=None):
    if but is not None:
        return bool(taken(call, id, *slot, but))
    read, events = known.get((call.project, id), (float("-inf"), []))
    if time.monotonic() - read > CACHE_SECONDS:
        events = list(calendar.events_of(call, id))
        known[call.project, id] = time.monotonic(), events
    return any(calendar.overlaps(event, *slot) for event in events)


@mutant.change(SUB_PROJECTS, "templates_apply", at=instead(app, "enter"), memory=set())
def the_caller_is_no_part_of_the_key_of_cached_permissions(allowed, enter, call):
    key = (call.path.get("projectId", "").lower(), call.operation)
    try:
        enter(call)
    except Refusal as refusal:
        if refusal.status != 403 or call.operation != "templates_apply" or key not in allowed:
            raise
    allowed.add(key)
