"""Endpoints 5 to 7: book, reschedule, and list busy intervals on the connected external calendar."""

from __future__ import annotations

from .rule import Rule

_RESCHEDULE = (
    Rule(
        "calendar.reschedule.answers-booking",
        "The response is the addressed booking, as it is after the update.",
        "Endpoints 6, response",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.moves",
        "A new start or end moves the event: the calendar is busy in the new slot and free in the old one.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.duration",
        "A new durationMinutes without end sets the duration of the event, with a new start or without.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.time-zone",
        "A new start and end without offset are local times in timeZone.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.keeps-slot",
        "An update of only the summary or the description does not move the event.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.title",
        "A new summary or description replaces the old one; omitted fields keep their values.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.notifies",
        "Attendees are notified again, unless notifyAttendees is false.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.silent",
        "With notifyAttendees false, no attendee is notified.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.conflict-check",
        "With conflictCheck true, an event is not moved to a taken slot; with false, it is.",
        "Endpoints 6, body; Endpoints 5, rule 3",
        "calendar_reschedule",
        "notify",
        inferred=True,
    ),
    Rule(
        "calendar.reschedule.conflict-only-taken",
        "With conflictCheck true, an event can be moved to a slot that only touches others, or overlaps its own.",
        "Endpoints 6, body; Endpoints 5, rule 3",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.calendar-id",
        "With the calendarId of its calendar, the event is updated; with that of another calendar, it does not move.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.keeps-rest",
        "An update keeps what its body does not name: texts, attendee, metadata and calendar.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.refused-changes-nothing",
        "An update that is refused changes nothing of the event and notifies no attendee.",
        "Endpoints 6, rules; Errors",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.body-types",
        "A field of another type is refused, and the event is not moved.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
        inferred=True,
    ),
    Rule(
        "calendar.reschedule.unknown-event",
        "An update of an event that does not exist is refused.",
        "Endpoints 6, path",
        "calendar_reschedule",
        "notify",
        inferred=True,
    ),
    Rule(
        "scope.own-things.calendar-reschedule",
        "An event cannot be moved through another project.",
        "What the service does",
        "calendar_reschedule",
        "notify",
    ),
)

_BUSY = (
    Rule(
        "calendar.busy.answers-intervals",
        "The response lists intervals that overlap the range; each starts before it ends.",
        "Endpoints 7, query and response",
        "calendar_busy",
        "read",
    ),
    Rule(
        "fields.busy.types",
        "start and end of a busy interval are strings.",
        "Resources, Busy interval",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.time-min-inclusive",
        "timeMin is inclusive: an interval that starts at timeMin is listed.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.time-max-exclusive",
        "timeMax is exclusive: an interval that starts at timeMax is not listed.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.offsets",
        "timeMin and timeMax are ISO timestamps; the same instants with another offset give the same result.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.parameter-types",
        "A timeMin or timeMax that is not a timestamp is refused.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
        inferred=True,
    ),
    Rule(
        "calendar.busy.primary-calendar",
        "Without calendarId, the intervals are those of the connected primary calendar.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.calendar-id",
        "With calendarId, the intervals are those of that calendar only.",
        "Endpoints 7, query",
        "calendar_busy",
        "notify",
    ),
    Rule(
        "calendar.busy.every-event",
        "Every event is listed with its start and end, however many there are and wherever the range begins and ends.",
        "Endpoints 7, query and response",
        "calendar_busy",
        "notify",
    ),
    Rule(
        "calendar.busy.every-calendar",
        "The intervals of a calendar are those of all events on it, whoever wrote them.",
        "Endpoints 7, query and response",
        "calendar_busy",
        "read",
    ),
    Rule(
        "scope.own-things.calendar-busy",
        "The intervals of a calendar of one project are not listed in another.",
        "What the service does",
        "calendar_busy",
        "read",
        inferred=True,
    ),
)

_ALL = (
    Rule(
        "calendar.sequence",
        "After bookings, updates and refused requests in any order, each response and the busy intervals are those of the events.",
        "Endpoints 5, rules; Endpoints 6, rules; Endpoints 7, response",
        "calendar_book",
        "notify",
    ),
    Rule(
        "calendar.sequence-checked",
        "The same, if an update with conflictCheck true is refused whenever the slot is taken.",
        "Endpoints 5, rules; Endpoints 6, rules; Endpoints 7, response",
        "calendar_book",
        "notify",
        inferred=True,
    ),
    Rule(
        "calendar.sequence-stored",
        "After requests in any order, each event holds what they gave it, no other event changed, and mails were sent once.",
        "Endpoints 5, rules; Endpoints 6, rules",
        "calendar_book",
        "notify",
    ),
)

RULES = (*_RESCHEDULE, *_BUSY, *_ALL)
