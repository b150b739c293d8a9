"""Records, events and sections in which what was there before is left, or from which it is lost."""

from __future__ import annotations

from copy import deepcopy
from functools import reduce
from typing import Any

from ..mutant import Json, Kind, Perform, around, instead, patch, wrap
from ..service import calendar, records
from ..service.app import Call

trace = Kind("trace of an earlier state")

MERGE = "`data` is a partial merge; a key whose value is `null` is deleted."
MOVE = "Rules: moves start/end and/or changes title/description."


@trace("records_update", MERGE)
@instead(records, "apply_changes", {})
def a_record_is_rebuilt_from_its_last_five_changes(
    logs: dict[str, list[Json]], apply_changes: Any, call: Call, record: Json, body: Json
) -> None:
    log = logs.setdefault(record["id"], [deepcopy(record["data"])])
    apply_changes(call, record, body)
    log.append(deepcopy(body.get("data", {})))
    start: Json = {}
    record["data"] = reduce(records.merged, log[-5:], start)


@trace("calendar_reschedule", MOVE)
@around("calendar_reschedule")
def events_with_the_same_title_are_moved_as_a_series(perform: Perform, call: Call) -> Any:
    old = call.world.events.get((call.project, call.path["eventId"]))
    value = perform(call)
    if old is None:
        return value
    by = call.world.events[call.project, old["uid"]]["begin"] - old["begin"]
    for event in calendar.events_of(call, old["calendar"]):
        if event["summary"] == old["summary"] and event["uid"] != old["uid"]:
            calendar.write(call, {**event, "begin": event["begin"] + by, "end": event["end"] + by})
    return value


@trace("calendar_reschedule", MOVE)
def an_event_with_a_new_description_is_no_longer_busy() -> None:
    in_range = calendar.in_range
    described: set[str] = set()

    def free(perform: Any, call: Call) -> Any:
        value = perform(call)
        if "description" in call.body:
            described.add(value["bookingUid"])
        return value

    wrap("calendar_reschedule", free)
    patch(calendar, "in_range", lambda event, *bounds: event["uid"] not in described and in_range(event, *bounds))
