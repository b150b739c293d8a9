"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import (
    body,
    identifier,
    timestamp,
)
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ...errors import SlotTakenError
from ..models.attendee import Attendee
from ..models.booking_result import BookingResult
from ..models.create_booking_body import CreateBookingBody

OPERATION: Final[Operation[BookingResult]] = Operation(
    id="calendar_book",
    method="POST",
    path="/projects/{project_id}/calendar/provider/events",
    retry="never",
    effect="notify",
    section="Endpoints 5",
    conflict=SlotTakenError,
    look="wait a minute, since the request may still be on its way; then search the calendar for the event, and book it again only if it is not there (calendar.busy does not show whose event takes a slot)",
    read=json_reader(BookingResult),
)


def call(
    project_id: str | UUID,
    *,
    start: datetime.datetime | str,
    summary: str,
    end: datetime.datetime | str | Unset = UNSET,
    duration_minutes: int | Unset = UNSET,
    time_zone: str | Unset = UNSET,
    description: str | Unset = UNSET,
    calendar_id: str | UUID | Unset = UNSET,
    attendee: Attendee | Mapping[str, Any] | Unset = UNSET,
    metadata: Mapping[str, Any] | Unset = UNSET,
    conflict_check: bool | Unset = UNSET,
) -> Call[BookingResult]:
    """Book an event on the connected external calendar.

    The event is written to the external calendar, and if it has an attendee with an email address, a real invitation
    is sent. If `conflict_check` is true, the busy intervals are checked again immediately before the insert, and a
    slot that was taken meanwhile is a 409. The calendar connection must have the calendar-events write scope.

    Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

    Args:
        project_id: The project that is the scope of the call.
        start: Start of the event, an ISO 8601 timestamp.
        summary: Title of the event, at least 1 character.
        end: End of the event, an ISO 8601 timestamp; start plus `duration_minutes` if not given.
        duration_minutes: Length of the event in minutes, if no end is given.
        time_zone: IANA time zone for start and end, such as Europe/Berlin.
        description: Description of the event.
        calendar_id: The calendar to write to; the connected primary calendar if not given.
        attendee: The person to invite. A real invitation is sent to the email address.
        metadata: Free-form JSON stored with the event.
        conflict_check: Whether to check the busy intervals again before the insert; true if not given.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 5.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/calendar/provider/events",
        body(
            CreateBookingBody,
            start=timestamp("start", start, time_zone),
            summary=summary,
            end=timestamp("end", end, time_zone),
            duration_minutes=duration_minutes,
            time_zone=time_zone,
            description=description,
            calendar_id=identifier(calendar_id),
            attendee=attendee,
            metadata=metadata,
            conflict_check=conflict_check,
        ),
    )
