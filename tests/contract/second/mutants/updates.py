"""Events that are moved or changed."""

from dataclasses import replace
from uuid import uuid4

from ..mutant import Kind, around, bodies, instead
from ..service import calendar
from ..service.app import Refusal
from .sentences import MOVES, TAKEN

mutant = Kind("updates")

TIMES = {"start", "end", "durationMinutes"}


@mutant.change(MOVES, "calendar_reschedule", at=instead(calendar, "find_event"), memory={})
def a_new_title_puts_a_moved_event_back(first, find_event, call, id):
    event = find_event(call, id)
    booked = first.setdefault(event["uid"], event)
    return event if TIMES & call.body.keys() else {**event, "begin": booked["begin"], "end": booked["end"]}


@mutant(MOVES, "calendar_reschedule")
def busy_intervals_are_indexed_again_if_the_start_changes():
    index = {}

    @instead(calendar, "write")
    def indexed(write, call, event):
        known = index.get(event["uid"])
        if known is None or known["begin"] != event["begin"]:
            index[event["uid"]] = event
        write(call, event)

    @around("calendar_busy")
    def listed(perform, call):
        events = {key: index.get(key[1], event) for key, event in call.world.events.items()}
        return perform(replace(call, world=replace(call.world, events=events)))


@mutant.change(MOVES, "calendar_reschedule")
def a_moved_event_gets_a_new_identifier(perform, call):
    value = perform(call)
    if "start" not in call.body:
        return value
    event = call.world.events.pop((call.project, call.path["eventId"]))
    uid = f"{uuid4().hex}@second"
    call.world.events[call.project, uid] = {**event, "uid": uid}
    return {**value, "bookingUid": uid}


@mutant.change(MOVES, "calendar_reschedule", at=instead(calendar, "find_event"))
def a_new_start_is_compared_with_the_old_end(find_event, call, name):
    event = find_event(call, name)
    if "start" in call.body:
        calendar.require_order(calendar.instant(call.body["start"], call.body.get("timeZone")), event["end"])
    return event


@mutant.change(MOVES, "calendar_reschedule", at=instead(calendar, "write"), memory={})
def an_event_is_not_moved_back_to_its_first_slot(first, write, call, event):
    booked = first.setdefault(event["uid"], event)
    stored = call.world.events.get((call.project, event["uid"]), event)
    back = all(event[name] == booked[name] for name in ("begin", "end"))
    write(call, {**event, **({name: stored[name] for name in ("begin", "end")} if back else {})})


@mutant.change(TAKEN, "calendar_reschedule", at=instead(calendar, "taken"))
def a_longer_event_is_not_checked(taken, call, *slot, but=""):
    event = call.world.events.get((call.project, but))
    return bool((event is None or event["begin"] != slot[1]) and taken(call, *slot, but=but))


@mutant.change(MOVES, "calendar_reschedule", memory=set())
def an_update_after_a_refused_one_is_ignored(refused, perform, call):
    uid = call.path["eventId"]
    if uid in refused:
        refused.discard(uid)
        return calendar.shown(call, calendar.find_event(call, None))
    try:
        return perform(call)
    except Refusal:
        if (call.project, uid) in call.world.events:
            refused.add(uid)
        raise


@mutant.change(MOVES, "calendar_reschedule", at=instead(calendar, "write"))
def a_silent_update_is_applied_with_the_next_one(write, call, event):
    old = call.world.events.get((call.project, event["uid"]))
    if old is not None and call.body.get("notifyAttendees") is False and "calendarId" in call.body:
        event.update(begin=old["begin"], end=old["end"])
    write(call, event)


@mutant(MOVES, "calendar_reschedule")
def events_of_service_accounts_are_moved_by_nobody_else():
    owners = {}

    @around("calendar_book")
    def owned(perform, call):
        value = perform(call)
        owners[value["bookingUid"]] = call.user
        return value

    @around("calendar_reschedule")
    def own(perform, call):
        if owners.get(call.path["eventId"], call.user) != call.user:
            raise Refusal(404, "There is no such event.")
        return perform(call)


@mutant.change(MOVES, "calendar_reschedule")
def events_with_the_same_title_are_moved_as_a_series(perform, call):
    old = call.world.events.get((call.project, call.path["eventId"]))
    value = perform(call)
    if old is None:
        return value
    by = call.world.events[call.project, old["uid"]]["begin"] - old["begin"]
    for event in calendar.events_of(call, old["calendar"]):
        if event["summary"] == old["summary"] and event["uid"] != old["uid"]:
            calendar.write(call, {**event, "begin": event["begin"] + by, "end": event["end"] + by})
    return value


@mutant(MOVES, "calendar_reschedule")
def an_event_with_a_new_description_is_no_longer_busy():
    described = set()
    instead(calendar, "in_range")(lambda known, event, *range: event["uid"] not in described and known(event, *range))

    @around("calendar_reschedule")
    def free(perform, call):
        value = perform(call)
        if "description" in call.body:
            described.add(value["bookingUid"])
        return value


@mutant.change(MOVES, "calendar_reschedule", at=bodies("calendar_reschedule"))
def an_event_that_gets_a_new_title_is_not_moved(body):
    for name in TIMES if "summary" in body else ():
        body.pop(name, None)


@mutant.change(MOVES, "calendar_reschedule", at=instead(calendar, "write"))
def an_update_that_neither_checks_nor_notifies_is_not_written(write, call, event):
    flags = [call.body.get(name, True) for name in ("conflictCheck", "notifyAttendees")]
    if call.operation != "calendar_reschedule" or any(flags):
        write(call, event)
