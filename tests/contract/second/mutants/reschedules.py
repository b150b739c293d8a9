"""Updates of events that do another thing than requested."""

from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import calendar
from ..service.app import Refusal

moving = Kind("updates of events")

MOVES = "moves start/end and/or changes title/description."
BODY = "Body: `calendarId`, `start`, `end`, `durationMinutes` (integer), `timeZone`, `summary`, `description` (strings), `conflictCheck` (boolean), `notifyAttendees` (boolean)."
CONFLICT = "`conflictCheck` (boolean)"
RESULT = "Response: booking result."


def body(name: str, change: Callable[[Json], Any], sentence: str = MOVES) -> None:
    """Register a mutant that changes the body of an update."""
    moving.add(name, "calendar_reschedule", sentence, lambda: alter_body("calendar_reschedule", change))


def drop(value: Json, *names: str, unless: str | None = None) -> None:
    """Remove members of a body, unless it has another one."""
    if unless is None or unless not in value:
        for name in names:
            value.pop(name, None)


body("a new end alone is ignored", lambda value: drop(value, "end", unless="start"))
body("a new duration alone is ignored", lambda value: drop(value, "durationMinutes", unless="start"))
body(
    "a new duration without a new end is half an hour",
    lambda value: value.update(durationMinutes=30) if "durationMinutes" in value else None,
)
body(
    "a new start alone is ignored",
    lambda value: drop(value, "start") if not value.keys() & {"end", "durationMinutes"} else None,
)
body(
    "a new title prevents a move",
    lambda value: drop(value, "start", "end", "durationMinutes") if "summary" in value else None,
)
body(
    "a new description prevents a move",
    lambda value: drop(value, "start", "end", "durationMinutes") if "description" in value else None,
)
body(
    "a silent update does not move the event",
    lambda value: drop(value, "start", "end", "durationMinutes") if value.get("notifyAttendees") is False else None,
)
body(
    "an update without the conflict check does not move the event",
    lambda value: drop(value, "start", "end", "durationMinutes") if value.get("conflictCheck") is False else None,
)
body(
    "the conflict check of an update is off with a duration",
    lambda value: value.update(conflictCheck=False) if "durationMinutes" in value else None,
    CONFLICT,
)
body(
    "the conflict check of an update is off with an end alone",
    lambda value: value.update(conflictCheck=False) if "end" in value and "start" not in value else None,
    CONFLICT,
)
body(
    "the conflict check of an update is off with a start alone",
    lambda value: value.update(conflictCheck=False) if "end" not in value and "durationMinutes" not in value else None,
    CONFLICT,
)
body(
    "the zone of an update applies to the start only",
    lambda value: (
        value.update(end=value["end"] + "Z")
        if "timeZone" in value and isinstance(value.get("end"), str) and len(value["end"]) == 19
        else None
    ),
    BODY,
)


@moving("calendar_reschedule", MOVES)
def a_new_end_alone_moves_the_start() -> None:
    def moved(perform: Any, call: Any) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        if event and "end" in call.body and "start" not in call.body and calendar.timestamp(call.body["end"]):
            end = calendar.instant(call.body["end"], call.body.get("timeZone"))
            call.body["start"] = (end - (event["end"] - event["begin"])).isoformat()
        return perform(call)

    wrap("calendar_reschedule", moved)


@moving("calendar_reschedule", MOVES)
def a_move_is_limited_to_a_day() -> None:
    def moved(perform: Any, call: Any) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        value = perform(call)
        after = call.world.events[call.project, call.path["eventId"]]
        if event and after["begin"] - event["begin"] > timedelta(days=1):
            call.world.events[call.project, call.path["eventId"]] = event
            return calendar.shown(call, event)
        return value

    wrap("calendar_reschedule", moved)


@moving("calendar_reschedule", MOVES)
def an_event_can_be_moved_once() -> None:
    moved: set[str] = set()

    def once(perform: Any, call: Any) -> Any:
        if call.path["eventId"] in moved:
            return calendar.shown(call, calendar.find_event(call, None))
        if "start" in call.body:
            value = perform(call)
            moved.add(call.path["eventId"])
            return value
        return perform(call)

    wrap("calendar_reschedule", once)


@moving("calendar_reschedule", MOVES)
def an_update_moves_all_events_with_the_same_start() -> None:
    def spread(perform: Any, call: Any) -> Any:
        before = call.world.events.get((call.project, call.path["eventId"]))
        value = perform(call)
        after = call.world.events[call.project, call.path["eventId"]]
        for key, event in list(call.world.events.items()):
            if before and event["begin"] == before["begin"]:
                call.world.events[key] = {**event, "begin": after["begin"], "end": after["end"]}
        return value

    wrap("calendar_reschedule", spread)


@moving("calendar_reschedule", MOVES)
def seconds_of_a_new_start_are_dropped() -> None:
    def whole(value: Json) -> None:
        if calendar.timestamp(value.get("start")) and len(value["start"]) > 18:
            value["start"] = value["start"][:17] + "00" + value["start"][19:]

    alter_body("calendar_reschedule", whole)


@moving("calendar_reschedule", MOVES)
def a_new_title_ends_the_event_after_an_hour() -> None:
    def ended(perform: Any, call: Any) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        if event and "summary" in call.body and not call.body.keys() & {"start", "end", "durationMinutes"}:
            call.body["end"] = (event["begin"] + timedelta(hours=1)).isoformat()
        return perform(call)

    wrap("calendar_reschedule", ended)


@moving("calendar_reschedule", BODY)
def an_update_that_names_the_calendar_finds_no_event() -> None:
    find_event = calendar.find_event

    def found(call: Any, id: str | None) -> Json:
        if id is not None:
            raise Refusal(404, "There is no such event.")
        return find_event(call, id)

    patch(calendar, "find_event", found)


@moving("calendar_reschedule", BODY)
def an_update_that_names_the_calendar_does_not_move_the_event() -> None:
    alter_body(
        "calendar_reschedule",
        lambda value: drop(value, "start", "end", "durationMinutes") if "calendarId" in value else None,
    )


@moving("calendar_reschedule", BODY)
def an_update_that_names_the_calendar_copies_the_event() -> None:
    def copied(perform: Any, call: Any) -> Any:
        event = call.world.events.get((call.project, call.path["eventId"]))
        value = perform(call)
        if event and "calendarId" in call.body:
            call.world.events[call.project, f"old-{event['uid']}"] = {**event, "uid": f"old-{event['uid']}"}
        return value

    wrap("calendar_reschedule", copied)


@moving("calendar_reschedule", RESULT)
def an_update_is_answered_without_the_calendar() -> None:
    alter_value("calendar_reschedule", lambda value: value.pop("calendarId"))


@moving("calendar_reschedule", RESULT)
def an_update_is_answered_with_the_old_times() -> None:
    def old(perform: Any, call: Any) -> Any:
        before = call.world.events.get((call.project, call.path["eventId"]))
        value = perform(call)
        return (
            {**value, "start": calendar.wire(before["begin"]), "end": calendar.wire(before["end"])} if before else value
        )

    wrap("calendar_reschedule", old)


@moving("calendar_reschedule", RESULT)
def an_update_is_answered_with_the_old_end() -> None:
    def old(perform: Any, call: Any) -> Any:
        before = call.world.events.get((call.project, call.path["eventId"]))
        value = perform(call)
        return {**value, "end": calendar.wire(before["end"])} if before else value

    wrap("calendar_reschedule", old)


@moving("calendar_reschedule", CONFLICT)
def an_event_is_in_conflict_with_itself() -> None:
    taken = calendar.taken
    patch(calendar, "taken", lambda call, calendar_id, begin, end, but=None: taken(call, calendar_id, begin, end))


@moving("calendar_reschedule", CONFLICT)
def an_event_that_is_not_moved_because_of_a_conflict_loses_its_slot() -> None:
    def lost(perform: Any, call: Any) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.status == 409:
                call.world.events.pop((call.project, call.path["eventId"]))
            raise

    wrap("calendar_reschedule", lost)


@moving("calendar_reschedule", CONFLICT)
def a_conflict_of_an_update_is_answered_with_success() -> None:
    def shortened(perform: Any, call: Any) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            if refusal.status != 409:
                raise
            return calendar.shown(call, calendar.find_event(call, None))

    wrap("calendar_reschedule", shortened)


@moving("calendar_reschedule", CONFLICT)
def only_equal_slots_are_a_conflict_of_an_update() -> None:
    def equal(perform: Any, call: Any) -> Any:
        overlaps = calendar.overlaps
        patch(calendar, "overlaps", lambda event, begin, end: (event["begin"], event["end"]) == (begin, end))
        try:
            return perform(call)
        finally:
            patch(calendar, "overlaps", overlaps)

    wrap("calendar_reschedule", equal)
