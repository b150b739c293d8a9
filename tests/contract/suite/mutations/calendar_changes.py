"""Broken rescheduling and lists of busy intervals (Endpoints 6 and 7)."""

from __future__ import annotations

from dataclasses import replace
from datetime import datetime

from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import calendar
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.world.domain import Json

from .calendar import without_offset
from .mutation import alter_value, mutation, patch, with_body, with_query, without, wrap


@mutation("calendar.reschedule.silent")
def attendees_are_always_notified() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(with_body(call, notifyAttendees=True)))


@mutation("calendar.reschedule.notifies")
def attendees_are_not_notified_by_default() -> None:
    def quiet(rule: Handler, call: Call) -> Answer:
        return rule(with_body(call, notifyAttendees=call.body.get("notifyAttendees", False)))

    wrap("calendar_reschedule", quiet)


@mutation("calendar.reschedule.moves", also=("calendar.reschedule.*",))
def a_move_is_answered_and_not_written() -> None:
    def forgotten(rule: Handler, call: Call) -> Answer:
        before = call.project.events.get(call.path["eventId"])
        answer = rule(call)
        if before is not None:
            call.project.events[before.uid] = before
        return answer

    wrap("calendar_reschedule", forgotten)


@mutation("calendar.reschedule.moves", also=("calendar.reschedule.*",))
def a_moved_event_stays_where_it_was_as_well() -> None:
    def doubled(rule: Handler, call: Call) -> Answer:
        before = call.project.events.get(call.path["eventId"])
        answer = rule(call)
        if before is not None:
            call.project.events[f"{before.uid}-old"] = replace(before, uid=f"{before.uid}-old")
        return answer

    wrap("calendar_reschedule", doubled)


@mutation("calendar.reschedule.moves", also=("calendar.reschedule.*",))
def an_event_is_not_moved() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(without(call, "start", "end", "durationMinutes")))


@mutation("calendar.reschedule.keeps-slot", also=("calendar.*",))
def a_new_title_moves_the_event() -> None:
    def moved(rule: Handler, call: Call) -> Answer:
        if "start" in call.body or "summary" not in call.body:
            return rule(call)
        return rule(with_body(call, start="2031-01-01T00:00:00Z", conflictCheck=False))

    wrap("calendar_reschedule", moved)


@mutation("calendar.reschedule.answers-booking", also=("calendar.reschedule.*",))
def a_moved_event_is_answered_with_the_identifier_of_another() -> None:
    alter_value("calendar_reschedule", lambda value: value.update(bookingUid="evt_other"))


@mutation("calendar.reschedule.keeps-identifier", also=("calendar.*",))
def a_moved_event_gets_a_new_identifier() -> None:
    def renewed(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        event = call.project.events.pop(call.path["eventId"])
        uid = f"{event.uid}-moved"
        call.project.events[uid] = replace(event, uid=uid)
        assert isinstance(answer.value, dict)
        return replace(answer, value={**answer.value, "bookingUid": uid})

    wrap("calendar_reschedule", renewed)


@mutation("calendar.busy.offset-of-times")
def the_times_of_busy_intervals_are_local() -> None:
    def local(value: Json) -> None:
        for interval in value["busy"]:
            interval.update({name: interval[name][:19] for name in ("start", "end")})

    alter_value("calendar_busy", local)


@mutation("calendar.busy.time-max-exclusive", also=("calendar.*",))
def the_end_of_the_range_is_inclusive() -> None:
    def closed(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
        return one[0] <= other[1] and other[0] < one[1]

    patch(calendar, "_overlap", closed)


@mutation("calendar.busy.time-min-inclusive", also=("calendar.busy.*",))
def what_starts_with_the_range_is_left_out() -> None:
    def left_out(one: tuple[datetime, datetime], other: tuple[datetime, datetime]) -> bool:
        return one[0] < other[1] and other[0] < one[0]

    def listed(rule: Handler, call: Call) -> Answer:
        overlap = calendar._overlap
        patch(calendar, "_overlap", left_out)
        try:
            return rule(call)
        finally:
            patch(calendar, "_overlap", overlap)

    wrap("calendar_busy", listed)


@mutation("calendar.busy.time-max-exclusive", also=("calendar.busy.*",))
def the_range_is_ignored() -> None:
    wrap(
        "calendar_busy",
        lambda rule, call: rule(with_query(call, timeMin="2000-01-01T00:00:00Z", timeMax="2100-01-01T00:00:00Z")),
    )


@mutation("calendar.busy.calendar-id", also=("calendar.*",))
def busy_intervals_are_always_those_of_the_primary_calendar() -> None:
    def primary(rule: Handler, call: Call) -> Answer:
        return rule(replace(call, query={name: text for name, text in call.query.items() if name != "calendarId"}))

    wrap("calendar_busy", primary)


@mutation("calendar.busy.answers-intervals", also=("calendar.busy.*",))
def busy_intervals_have_no_end() -> None:
    def endless(value: Json) -> None:
        for interval in value["busy"]:
            del interval["end"]

    alter_value("calendar_busy", endless)


@mutation("fields.busy.types")
def busy_intervals_are_numbers() -> None:
    def numbers(value: Json) -> None:
        for interval in value["busy"]:
            interval["end"] = 1

    alter_value("calendar_busy", numbers)


@mutation("calendar.reschedule.unknown-event")
def an_update_of_no_event_is_answered_with_success() -> None:
    def anything(rule: Handler, call: Call) -> Answer:
        if call.path["eventId"] in call.project.events:
            return rule(call)
        return Answer({"bookingUid": call.path["eventId"]})

    wrap("calendar_reschedule", anything)


@mutation("calendar.reschedule.duration", also=("calendar.*",))
def a_new_length_is_ignored() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(without(call, "durationMinutes")))


@mutation("calendar.reschedule.time-zone", also=("calendar.*",))
def the_time_zone_of_a_move_is_ignored() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(without(call, "timeZone")))


@mutation("calendar.reschedule.title")
def a_new_title_is_ignored() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(without(call, "summary", "description")))


@mutation("calendar.reschedule.conflict-check")
def an_event_is_moved_to_a_taken_slot() -> None:
    wrap("calendar_reschedule", lambda rule, call: rule(with_body(call, conflictCheck=False)))


@mutation("calendar.busy.offsets", also=("calendar.busy.every-event",))
def the_offsets_of_a_range_are_ignored() -> None:
    def local(rule: Handler, call: Call) -> Answer:
        return rule(with_query(call, **{name: without_offset(call.query[name]) for name in ("timeMin", "timeMax")}))

    wrap("calendar_busy", local)


@mutation("calendar.busy.parameter-types", also=("calendar.busy.every-event",))
def a_range_of_no_timestamps_is_empty() -> None:
    def empty(rule: Handler, call: Call) -> Answer:
        try:
            return rule(call)
        except ApiError:
            return Answer({"busy": []})

    wrap("calendar_busy", empty)


@mutation("calendar.busy.primary-calendar", also=("calendar.*",))
def another_calendar_is_read_where_none_is_named() -> None:
    def another(rule: Handler, call: Call) -> Answer:
        return rule(with_query(call, **{"calendarId": "holidays@calendar.example", **call.query}))

    wrap("calendar_busy", another)
