"""Broken conflict checks and lists of busy intervals (Endpoints 5 to 7): what is taken, and what is listed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import datetime, timedelta

from project_platform_stub.http.errors import conflict
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Calendar

from .mutation import alter_value, mutation, patch, with_body, with_query, without, wrap

Slot = tuple[datetime, datetime]


def _conflicts(taken: Callable[[Slot, Slot], bool]) -> None:
    """Replace the condition of a conflict between an event and a requested slot."""

    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        if any(taken(slot, (start, end)) for slot in calendar._busy(call, named, ignored)):
            raise conflict("The slot was taken.", "slot_taken")

    patch(calendar, "_require_free", require_free)


@mutation("calendar.book.conflict", also=("calendar.*",))
def only_a_start_within_an_event_is_a_conflict() -> None:
    _conflicts(lambda slot, asked: slot[0] <= asked[0] < slot[1])


@mutation("calendar.book.conflict", also=("calendar.*",))
def an_overlap_of_less_than_a_minute_is_not_a_conflict() -> None:
    minute = timedelta(minutes=1)
    _conflicts(lambda slot, asked: slot[0] + minute <= asked[1] and asked[0] + minute <= slot[1])


@mutation("calendar.book.conflict", also=("calendar.*",))
def an_event_takes_its_first_day_only() -> None:
    day = timedelta(days=1)
    _conflicts(lambda slot, asked: asked[0] < min(slot[1], slot[0] + day) and slot[0] < asked[1])


@mutation("calendar.book.conflict", also=("calendar.*",))
def only_the_latest_event_before_a_slot_is_checked() -> None:
    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        before = sorted(slot for slot in calendar._busy(call, named, ignored) if slot[0] < end)
        if before and calendar._overlap(before[-1], (start, end)):
            raise conflict("The slot was taken.", "slot_taken")

    patch(calendar, "_require_free", require_free)


def _unchecked(operation: str, when: Callable[[Call], bool]) -> None:
    """Leave out the conflict check of some calls."""
    wrap(operation, lambda rule, call: rule(with_body(call, conflictCheck=False) if when(call) else call))


@mutation("calendar.book.conflict", also=("calendar.book.*",))
def a_booking_with_a_duration_is_not_checked() -> None:
    _unchecked("calendar_book", lambda call: "durationMinutes" in call.body)


@mutation("calendar.book.conflict", also=("calendar.book.*",))
def a_booking_in_a_time_zone_is_not_checked() -> None:
    _unchecked("calendar_book", lambda call: "timeZone" in call.body)


@mutation("calendar.book.conflict", also=("calendar.book.*",))
def a_booking_on_a_named_calendar_is_not_checked() -> None:
    _unchecked("calendar_book", lambda call: "calendarId" in call.body)


@mutation("calendar.book.conflict-others", "calendar.reschedule.conflict-check", also=("calendar.*",))
def only_events_of_the_service_are_a_conflict() -> None:
    busy = calendar._busy

    def own(call: Call, named: Calendar, ignored: str | None = None) -> list[Slot]:
        return [slot for slot in busy(call, named, ignored) if slot not in named.blocks]

    require = calendar._require_free

    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        patch(calendar, "_busy", own)
        try:
            require(call, named, start, end, ignored=ignored)
        finally:
            patch(calendar, "_busy", busy)

    patch(calendar, "_require_free", require_free)


@mutation("calendar.book.conflict-others", also=("calendar.*",))
def only_own_events_are_a_conflict() -> None:
    owners: dict[str, str] = {}

    def own(rule: Handler, call: Call) -> Answer:
        hidden = {uid: call.project.events[uid] for uid, of in owners.items() if of != call.caller.id}
        for uid in hidden:
            del call.project.events[uid]
        answer = rule(call)
        assert isinstance(answer.value, dict)
        owners[answer.value["bookingUid"]] = call.caller.id
        call.project.events.update(hidden)
        return answer

    wrap("calendar_book", own)


@mutation("calendar.book.conflict-moved", also=("calendar.*",))
def a_moved_event_takes_its_old_slot() -> None:
    first: dict[str, Slot] = {}
    busy = calendar._busy

    def booked(rule: Handler, call: Call) -> Answer:
        def old(call: Call, named: Calendar, ignored: str | None = None) -> list[Slot]:
            moved = [first.get(uid) for uid in call.project.events if uid != ignored]
            return [*named.blocks, *(slot for slot in moved if slot)]

        patch(calendar, "_busy", old)
        try:
            answer = rule(call)
        finally:
            patch(calendar, "_busy", busy)
        first.update({uid: (event.start, event.end) for uid, event in call.project.events.items() if uid not in first})
        return answer

    wrap("calendar_book", booked)


@mutation("calendar.reschedule.conflict-only-taken", also=("calendar.*",))
def a_move_over_the_own_slot_is_a_conflict() -> None:
    busy = calendar._busy
    patch(calendar, "_busy", lambda call, named, ignored=None: busy(call, named))


@mutation("calendar.reschedule.conflict-check", also=("calendar.*",))
def a_new_end_alone_is_not_checked() -> None:
    _unchecked("calendar_reschedule", lambda call: "start" not in call.body)


@mutation("calendar.reschedule.conflict-check", also=("calendar.*",))
def a_silent_update_is_not_checked() -> None:
    _unchecked("calendar_reschedule", lambda call: not call.body.get("notifyAttendees", True))


@mutation("calendar.reschedule.conflict-check", also=("calendar.*",))
def a_move_is_only_checked_at_its_start() -> None:
    def checked(rule: Handler, call: Call) -> Answer:
        if not call.body.get("conflictCheck", True) or "start" not in call.body:
            return rule(call)
        event = call.project.events[call.path["eventId"]]
        zone = call.body.get("timeZone", event.zone)
        start = calendar.read_time(call.body["start"], zone, "body.start")
        named = call.project.calendars[event.calendar_id]
        calendar._require_free(call, named, start, start + timedelta(seconds=1), ignored=event.uid)
        return rule(with_body(call, conflictCheck=False))

    wrap("calendar_reschedule", checked)


@mutation("calendar.book.calendar-id", also=("calendar.book.refused-writes-nothing",))
def an_event_for_an_unknown_calendar_is_on_the_primary_one() -> None:
    def primary(rule: Handler, call: Call) -> Answer:
        known = call.body.get("calendarId") in call.project.calendars
        return rule(call if known else without(call, "calendarId"))

    wrap("calendar_book", primary)


@mutation("calendar.busy.calendar-id", also=("calendar.busy.exact-calendar",))
def an_unknown_calendar_is_busy_like_the_primary_one() -> None:
    def primary(rule: Handler, call: Call) -> Answer:
        if call.query.get("calendarId") in {None, *call.project.calendars}:
            return rule(call)
        return rule(with_query(call, calendarId=call.project.primary_calendar))

    wrap("calendar_busy", primary)


@mutation("calendar.reschedule.calendar-id", also=("calendar.reschedule.*",))
def the_calendar_of_an_update_is_ignored() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(without(call, "calendarId")))


@mutation("calendar.reschedule.calendar-id", also=("calendar.reschedule.*",))
def an_update_that_names_a_calendar_is_refused() -> None:
    wrap(
        "calendar_reschedule",
        lambda rule, call: rule(with_body(call, calendarId="none")) if "calendarId" in call.body else rule(call),
    )


@mutation("scope.own-things.calendar-reschedule", also=("scope.*",))
def an_event_is_found_in_every_project() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        uid = call.path["eventId"]
        owner = next((project for project in call.world.projects.values() if uid in project.events), call.project)
        return rule(replace(call, project=owner))

    wrap("calendar_reschedule", found)


def _listed(change: Callable[[list[dict[str, str]]], list[dict[str, str]]]) -> None:
    """Change the list of busy intervals."""
    alter_value("calendar_busy", lambda value: value.update(busy=change(value["busy"])))


@mutation("calendar.busy.every-event", also=("calendar.*",))
def twenty_intervals_are_listed() -> None:
    _listed(lambda slots: slots[:20])


@mutation("calendar.busy.every-event", also=("calendar.*",))
def ten_intervals_are_listed() -> None:
    _listed(lambda slots: slots[-10:])


@mutation("calendar.busy.every-event", also=("calendar.*",))
def intervals_are_merged_over_short_gaps() -> None:
    def merged(slots: list[dict[str, str]]) -> list[dict[str, str]]:
        joined: list[dict[str, str]] = []
        for slot in slots:
            gap = timedelta(minutes=5)
            if joined and datetime.fromisoformat(slot["start"]) - datetime.fromisoformat(joined[-1]["end"]) < gap:
                joined[-1] = {**joined[-1], "end": slot["end"]}
            else:
                joined.append(slot)
        return joined

    _listed(merged)


@mutation("calendar.busy.every-event", also=("calendar.*",))
def an_interval_is_listed_only_in_the_range_of_its_start() -> None:
    overlap = calendar._overlap

    def listed(rule: Handler, call: Call) -> Answer:
        patch(calendar, "_overlap", lambda slot, asked: asked[0] <= slot[0] < asked[1])
        try:
            return rule(call)
        finally:
            patch(calendar, "_overlap", overlap)

    wrap("calendar_busy", listed)


@mutation("calendar.busy.every-calendar", also=("calendar.*",))
def only_events_of_the_service_are_listed() -> None:
    wrap_without_blocks = calendar._busy

    def listed(rule: Handler, call: Call) -> Answer:
        patch(
            calendar,
            "_busy",
            lambda call, named, ignored=None: wrap_without_blocks(call, replace(named, blocks=()), ignored),
        )
        try:
            return rule(call)
        finally:
            patch(calendar, "_busy", wrap_without_blocks)

    wrap("calendar_busy", listed)


@mutation("calendar.busy.every-calendar", also=("calendar.*",))
def the_intervals_of_others_are_those_of_the_primary_calendar() -> None:
    def listed(rule: Handler, call: Call) -> Answer:
        primary = call.project.calendars[call.project.primary_calendar or ""]
        busy = calendar._busy
        patch(
            calendar,
            "_busy",
            lambda call, named, ignored=None: busy(call, replace(named, blocks=primary.blocks), ignored),
        )
        try:
            return rule(call)
        finally:
            patch(calendar, "_busy", busy)

    wrap("calendar_busy", listed)


@mutation("calendar.busy.answers-intervals", also=("calendar.*",))
def one_interval_is_listed() -> None:
    _listed(lambda slots: slots[:1])


@mutation("calendar.book.other-calendar", also=("calendar.*",))
def conflicts_are_always_checked_on_the_primary_calendar() -> None:
    busy = calendar._busy
    require = calendar._require_free

    def require_free(
        call: Call, named: Calendar, start: datetime, end: datetime, *, ignored: str | None = None
    ) -> None:
        primary = call.project.calendars[call.project.primary_calendar or ""]
        patch(calendar, "_busy", lambda call, named, ignored=None: busy(call, primary, ignored))
        try:
            require(call, named, start, end, ignored=ignored)
        finally:
            patch(calendar, "_busy", busy)

    patch(calendar, "_require_free", require_free)


@mutation("calendar.book.other-calendar", also=("calendar.*",))
def conflicts_are_checked_on_all_calendars() -> None:
    def everywhere(call: Call, named: Calendar, ignored: str | None = None) -> list[Slot]:
        return [
            *named.blocks,
            *((event.start, event.end) for event in call.project.events.values() if event.uid != ignored),
        ]

    patch(calendar, "_busy", everywhere)


@mutation("calendar.book.other-calendar", also=("calendar.*",))
def a_moved_event_is_on_the_primary_calendar() -> None:
    def moved(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        uid = call.path["eventId"]
        primary = call.project.primary_calendar or ""
        call.project.events[uid] = replace(call.project.events[uid], calendar_id=primary)
        return answer

    wrap("calendar_reschedule", moved)
