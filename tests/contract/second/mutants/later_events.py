"""Services whose calendars are right at first, and stale or wrong after a change."""

from __future__ import annotations

from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import calendar
from ..service.app import Call

events = Kind("updates of events")
busy = Kind("busy intervals")
MOVES = "Moves start/end and/or changes title/description."


@busy("calendar_busy", "Response: `{busy: array of {start, end}}`.")
def the_first_answer_for_a_range_is_repeated() -> None:
    answers: Json = {}

    def cached(perform: Any, call: Call) -> Any:
        return answers.setdefault(f"{call.project} {sorted(call.query.items())}", perform(call))

    wrap("calendar_busy", cached)


@busy("calendar_reschedule", MOVES)
def a_second_move_leaves_the_first_slot_busy() -> None:
    write = calendar.write
    moved: set[str] = set()

    def written(call: Call, event: Json) -> None:
        old = call.world.events.get((call.project, event["uid"]))
        if old is not None:
            if event["uid"] in moved and old["begin"] != event["begin"]:
                ghost = {**old, "uid": old["uid"] + "-1"}
                call.world.events[call.project, ghost["uid"]] = ghost
            moved.add(event["uid"])
        write(call, event)

    patch(calendar, "write", written)


@busy("calendar_book", "The response is 409 if the slot was taken.")
def the_slot_from_which_an_event_was_moved_is_taken() -> None:
    taken, write = calendar.taken, calendar.write
    slots: list[Any] = []

    def written(call: Call, event: Json) -> None:
        slots.append((event["calendar"], event))
        write(call, event)

    def also(call: Call, name: str, begin: Any, end: Any, but: str | None = None) -> bool:
        return taken(call, name, begin, end, but) or any(
            calendar.overlaps(event, begin, end) for of, event in slots if of == name and event["uid"] != but
        )

    patch(calendar, "write", written)
    patch(calendar, "taken", also)


@events("calendar_reschedule", MOVES)
def updates_begin_from_the_booked_times() -> None:
    booked: Json = {}
    write, find = calendar.write, calendar.find_event

    def written(call: Call, event: Json) -> None:
        booked.setdefault(event["uid"], event)
        write(call, event)

    patch(calendar, "write", written)
    patch(calendar, "find_event", lambda call, name: booked.get(find(call, name)["uid"], find(call, name)))


@events("calendar_reschedule", MOVES)
def an_event_is_not_moved_a_second_time() -> None:
    write = calendar.write
    moved: set[str] = set()

    def written(call: Call, event: Json) -> None:
        old = call.world.events.get((call.project, event["uid"]))
        if old is None or event["uid"] not in moved:
            write(call, event)
        if old is not None and old["begin"] != event["begin"]:
            moved.add(event["uid"])

    patch(calendar, "write", written)
