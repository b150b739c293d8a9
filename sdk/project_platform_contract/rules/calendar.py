"""Endpoints 5 to 7: book, reschedule, and list busy intervals on the connected external calendar."""

from __future__ import annotations

from .rule import Rule

_RESCHEDULE = (
    Rule(
        "calendar.reschedule.answers-booking",
        "The answer is the booking that was named, as it is after the update.",
        "Endpoints 6, response",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.moves",
        "A new start and end move the event: the calendar is busy there, and free where it was.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.duration",
        "A new start with durationMinutes and without an end moves the event, which then takes so long.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.time-zone",
        "A new start and end without offset are times on the clocks of timeZone.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.keeps-slot",
        "A new title or description alone leaves the event where it is.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.title",
        "A new title or description is the event's from then on; what is not given stays.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.notifies",
        "Attendees are notified again, unless notifyAttendees says otherwise.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.silent",
        "With notifyAttendees false nobody is notified.",
        "Endpoints 6, rules",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.conflict-check",
        "With conflictCheck true an event is not moved to a slot that was taken; with false it is.",
        "Endpoints 6, body; Endpoints 5, rule 3",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.body-types",
        "Fields that are not of their types are refused, and the event stays where it is.",
        "Endpoints 6, body",
        "calendar_reschedule",
        "notify",
    ),
    Rule(
        "calendar.reschedule.unknown-event",
        "An update of an event that does not exist is refused.",
        "Endpoints 6, path",
        "calendar_reschedule",
        "notify",
    ),
)

_BUSY = (
    Rule(
        "calendar.busy.answers-intervals",
        "The answer lists intervals, each with a start before its end, that lie in the range in whole or in part.",
        "Endpoints 7, query and response",
        "calendar_busy",
        "read",
    ),
    Rule(
        "fields.busy.types",
        "start and end of a busy interval are texts.",
        "Resources, Busy interval",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.time-min-inclusive",
        "timeMin is inclusive: an interval that starts then is listed.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.time-max-exclusive",
        "timeMax is exclusive: an interval that starts then is not listed.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.offsets",
        "timeMin and timeMax are ISO timestamps: a range with another offset is the same range.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.parameter-types",
        "A timeMin or timeMax that is no timestamp is refused.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.primary-calendar",
        "Without calendarId the intervals are those of the connected primary calendar.",
        "Endpoints 7, query",
        "calendar_busy",
        "read",
    ),
    Rule(
        "calendar.busy.calendar-id",
        "With calendarId the intervals are those of that calendar: an event on another is not among them.",
        "Endpoints 7, query",
        "calendar_busy",
        "notify",
    ),
)

RULES = (*_RESCHEDULE, *_BUSY)
