"""Services that are right for one request at a time, and wrong for two."""

from __future__ import annotations

import threading
import time
from contextlib import nullcontext
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import Service, calendar, records, settings
from ..service.app import Call

simultaneous = Kind("simultaneous requests")

PAUSE = 0.05  # Seconds between the read and the write of a request


def unlocked() -> None:
    """Perform operations at the same time."""
    Service._one_at_a_time = property(lambda _: nullcontext(), lambda *_: None)


@simultaneous(
    "records_update",
    "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition. When either is stale, "
    "the response is 409 and the record is unchanged.",
)
def two_updates_with_the_same_precondition_both_succeed() -> None:
    stale = records.stale
    unlocked()

    def slow(record: Json, body: Json) -> bool:
        result = stale(deepcopy(record), body)
        if "expectedData" in body or "expectedStatus" in body:
            time.sleep(PAUSE)
        return result

    patch(records, "stale", slow)


@simultaneous("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def of_two_updates_of_different_keys_one_is_lost() -> None:
    merged = records.merged
    unlocked()

    def slow(old: Json, changes: Json) -> Json:
        before = deepcopy(old)
        if old:
            time.sleep(PAUSE)
        return merged(before, changes)

    patch(records, "merged", slow)


@simultaneous("memory_update", "Only provided fields are updated; the entry is addressed by slug.")
def of_two_updates_of_an_entry_one_is_lost() -> None:
    change = settings.change
    unlocked()

    def slow(entry: Json, body: Json) -> None:
        whole = deepcopy(entry)
        time.sleep(PAUSE)
        change(whole, body)
        entry.update(whole)

    patch(settings, "change", slow)


@simultaneous(
    "calendar_book",
    "When `conflictCheck` is true, busy intervals are re-checked before insert and the response is 409 if the slot was taken.",
)
def two_bookings_of_the_same_slot_both_succeed() -> None:
    write = calendar.write
    unlocked()

    def slow(call: Call, event: Json) -> None:
        time.sleep(PAUSE)
        write(call, event)

    def copied(call: Call, name: str) -> list[Json]:
        rows = list(call.world.events.items())
        return [event for (project, _), event in rows if (project, event["calendar"]) == (call.project, name)]

    patch(calendar, "write", slow)
    patch(calendar, "events_of", copied)


@simultaneous("records_create", "The service attaches an existing Person or creates one.")
def two_records_of_a_new_person_have_two_persons() -> None:
    unlocked()
    lock = threading.Lock()

    def link(call: Call, record: Json, identity: Json) -> None:
        address = records.identity_of(identity)
        if not call.world.types[record["typeSlug"]] or address is None:
            return
        known = call.world.persons.get((call.project, address))
        if known is None:
            time.sleep(PAUSE)
            with lock:
                known = f"per-{len(call.world.persons) + 1:05}-{record['id']}"
                call.world.persons[call.project, address] = known
        record["personRefId"] = known

    patch(records, "link", link)


@simultaneous("records_create", "`id` | string")
def records_of_the_same_second_have_the_same_identifier() -> None:
    def numbered(perform: Any, call: Call) -> Any:
        value = perform(call)
        record = call.world.records.pop((call.project, value["record"]["id"]))
        record["id"] = str(int(time.time()))
        call.world.records[call.project, record["id"]] = record
        return {"record": records.shown(record)}

    wrap("records_create", numbered)
