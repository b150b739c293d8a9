"""Bookings: what a service remembers of events, and what it looks at."""

from collections import Counter
from datetime import timedelta

from ..mutant import Kind, bodies, instead, replies
from ..service import app, calendar, checks, tokens
from ..service.app import Refusal, Reply
from .sentences import ATTENDEE, BOOKED, ERRORS, TAKEN, TOKEN, ZONE

mutant = Kind("bookings")

TIMES = {"start", "end", "durationMinutes"}


@mutant(TOKEN, "calendar_book")
def a_fourth_part_of_a_token_of_a_booking_is_ignored():
    current = []

    @instead(app, "find")
    def found(find, method, path):
        result = find(method, path)
        current[:] = [result[0]]
        return result

    @instead(tokens, "user_of")
    def lenient(user_of, world, authorization):
        first = ".".join((authorization or "").split(".")[:3])
        return user_of(world, first if current == ["calendar_book"] else authorization)


@mutant.change(ERRORS, "calendar_book", at=replies)
def a_booking_that_is_a_text_is_refused_as_text(name, request, reply):
    if name == "calendar_book" and reply.status >= 400 and request.body.startswith(b'"'):
        return Reply(reply.status, b"expected an object", {"content-type": "text/plain"})
    return reply


@mutant(TAKEN, "calendar_book")
def the_slot_that_an_event_left_stays_taken():
    left = []

    @instead(calendar, "write")
    def moved(write, call, event):
        if old := call.world.events.get((call.project, event["uid"])):
            left.append((call.project, old))
        write(call, event)

    @instead(calendar, "taken")
    def blocked(taken, call, id, *slot, but=None):
        old = [event for project, event in left if (project, event["calendar"]) == (call.project, id)]
        stays = any(event["uid"] != but and calendar.overlaps(event, *slot) for event in old)
        return stays or taken(call, id, *slot, but=but)


@mutant(TAKEN, "calendar_book")
def an_event_that_was_moved_twice_can_be_booked_over():
    moves = Counter()
    instead(calendar, "overlaps")(lambda overlaps, event, *slot: moves[event["uid"]] < 2 and overlaps(event, *slot))

    @instead(calendar, "write")
    def counted(write, call, event):
        moves[event["uid"]] += call.operation == "calendar_reschedule" and bool(TIMES & call.body.keys())
        write(call, event)


@mutant.change(TAKEN, "calendar_book", at=instead(calendar, "overlaps"))
def only_the_first_day_of_an_event_is_taken(_, event, begin, end):
    return event["begin"] < end and begin < min(event["end"], event["begin"] + timedelta(hours=24))


@mutant.change("end: defaults to start + durationMinutes", "calendar_book", at=bodies("calendar_book"))
def a_duration_loses_its_whole_days(body):
    if checks.minutes(body["durationMinutes"]):
        body["durationMinutes"] = timedelta(minutes=body["durationMinutes"]).seconds // 60


@mutant.change(ATTENDEE, "calendar_book", at=instead(calendar, "email"))
def an_address_of_an_attendee_has_no_plus(email, value):
    return email(value) and "+" not in value


@mutant.change(BOOKED, "calendar_book", memory={})
def an_equal_booking_is_the_event_that_was_moved_away(booked, perform, call):
    known = booked.get(repr(call.body), {})
    event = call.world.events.get((call.project, known.get("bookingUid", "")))
    if event is not None and calendar.wire(event["begin"]) != known["start"]:
        return calendar.shown(call, event)
    return booked.setdefault(repr(call.body), perform(call))


@mutant.change(BOOKED, "calendar_book", at=instead(calendar, "events_of"))
def an_event_with_an_invitation_is_not_busy(events_of, call, name):
    return [event for event in events_of(call, name) if "email" not in (event["attendee"] or {})]


@mutant.change(TAKEN, "calendar_book", at=instead(calendar, "taken"))
def a_slot_that_touches_two_events_is_taken(taken, call, name, *slot, but=None):
    events = [event for event in calendar.events_of(call, name) if event["uid"] != but]
    ends, starts = ({event[edge] for event in events} for edge in ("end", "begin"))
    return taken(call, name, *slot, but) or (slot[0] in ends and slot[1] in starts)


@mutant.change(TAKEN, "calendar_book", at=instead(calendar, "taken"))
def a_slot_over_two_events_is_free(taken, call, name, *slot, but=None):
    events = [event for event in calendar.events_of(call, name) if event["uid"] != but]
    return sum(calendar.overlaps(event, *slot) for event in events) == 1


@mutant.change(BOOKED, "calendar_book", memory=[])
def a_booking_after_a_conflict_has_the_times_of_the_refused_one(kept, perform, call):
    body = dict(call.body) if isinstance(call.body, dict) else {}
    times = {name: body[name] for name in ("start", "end", "durationMinutes", "timeZone") if name in body}
    if kept and body.get("conflictCheck") is False:
        call.body = {name: value for name, value in body.items() if name not in times} | kept.pop()
    try:
        return perform(call)
    except Refusal as refusal:
        if refusal.status == 409:
            kept[:] = [times]
        raise


@mutant.change(ZONE, "calendar_book", at=instead(calendar, "instant"), memory=[])
def the_zone_of_the_last_booking_replaces_offsets_of_the_next(zones, instant, value, name):
    if name is None and zones and "+05:30" in value:
        return instant(value[:19], zones.pop())
    if name is not None and name != "UTC":
        zones[:] = [name]
    return instant(value, name)


@mutant.change(TAKEN, "calendar_book", at=instead(calendar, "checks_conflicts"))
def an_attendee_with_an_address_is_booked_into_a_taken_slot(checks_conflicts, body):
    return checks_conflicts(body) and not (body.get("attendee") or {}).get("email")


@mutant.change("Calendar booking `summary`: at least 1 character.", "calendar_book", at=bodies("calendar_book"))
def an_empty_summary_is_accepted_beside_a_description(body):
    if body["summary"] == "" and body.get("description"):
        body["summary"] = "-"
