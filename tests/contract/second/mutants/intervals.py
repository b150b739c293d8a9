"""Busy intervals."""

import re
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from datetime import datetime

from ..mutant import Kind, around, instead, queries, values
from ..service import calendar
from ..service.app import Refusal
from .sentences import BUSY, RANGE, TAKEN

mutant = Kind("intervals")


@mutant.change(TAKEN, "calendar_busy", at=around("calendar_book"))
def a_slot_is_busy_after_its_booking_was_refused(perform, call):
    try:
        return perform(call)
    except Refusal as refusal:
        if refusal.code == "slot_taken":
            perform(replace(call, body={**call.body, "conflictCheck": False}))
        raise


def listed(change):
    @instead(calendar, "events_of")
    def altered(events_of, call, name):
        events = events_of(call, name)
        return change(call, events) if call.operation == "calendar_busy" else events


@mutant(BUSY, "calendar_busy")
def a_booking_in_a_named_calendar_leaves_the_cached_intervals_of_the_default():
    cached = {}

    @around("calendar_busy")
    def listed(perform, call):
        key = call.project, call.query.get("calendarId"), f"{call.query.get('timeMin')} {call.query.get('timeMax')}"
        if key not in cached:
            cached[key] = perform(call)
        return deepcopy(cached[key])

    @around("calendar_reschedule")
    @around("calendar_book")
    def written(perform, call):
        value = perform(call)
        for key in [key for key in cached if key[:2] == (call.project, call.body.get("calendarId"))]:
            del cached[key]
        return value


@mutant.change(BUSY, "calendar_busy", at=listed)
def events_with_the_same_end_are_listed_once(call, events):
    return list({event["end"]: event for event in events}.values())


@mutant.change(BUSY, "calendar_busy", at=values("calendar_busy"))
def an_event_within_another_ends_it(value):
    found = []
    for interval in sorted(value["busy"], key=lambda each: datetime.fromisoformat(each["start"])):
        start = datetime.fromisoformat(interval["start"])
        if found and start < datetime.fromisoformat(found[-1]["end"]):
            found[-1]["end"] = interval["end"]
        else:
            found.append(interval)
    value["busy"] = found


@mutant(BUSY, "calendar_busy")
def moved_events_are_listed_for_the_caller_who_moved_them():
    movers = {}
    listed(lambda call, events: [event for event in events if movers.get(event["uid"], call.user) == call.user])

    @instead(calendar, "write")
    def moved(write, call, event):
        old = call.world.events.get((call.project, event["uid"]))
        if old is not None and old["begin"] != event["begin"]:
            movers[event["uid"]] = call.user
        write(call, event)


@mutant.change(RANGE, "calendar_busy", memory={})
def a_query_is_answered_for_the_range_of_the_one_before_if_it_is_within(last, perform, call):
    with suppress(KeyError, ValueError):
        key = call.project, call.query.get("calendarId"), len(call.world.events)
        begin, end = (calendar.instant(call.query[name], "UTC") for name in ("timeMin", "timeMax"))
        if last.get("key") == key and last["begin"] <= begin and end <= last["end"]:
            return last["value"]
        value = perform(call)
        last.update(key=key, begin=begin, end=end, value=value)
        return value
    return perform(call)


@mutant.change(RANGE, "calendar_busy", at=instead(calendar, "in_range"))
def an_event_from_before_the_range_until_after_it_is_not_busy(in_range, event, begin, end):
    return in_range(event, begin, end) and not (event["begin"] < begin and end < event["end"])


@mutant.change(RANGE, "calendar_busy", at=queries("calendar_busy"))
def offsets_of_a_range_in_a_named_calendar_are_ignored(query):
    if "calendarId" in query:
        query.update({name: re.sub(r"[+-]\d\d:?\d\d$", "", query[name]) for name in ("timeMin", "timeMax")})
