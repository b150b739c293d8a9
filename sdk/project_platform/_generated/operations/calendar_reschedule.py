"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import (
    body,
    identifier,
    segment,
    timestamp,
)
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ...errors import SlotTakenError
from ..models.calendar import BookingResult, RescheduleEventBody

OPERATION: Final[Operation[BookingResult]] = Operation(
    id="calendar_reschedule",
    method="PATCH",
    path="/projects/{project_id}/calendar/provider/events/{event_id}",
    retry="never",
    effect="notify",
    section="Endpoints 6",
    conflict=SlotTakenError,
    settle="event",
    look="wait a minute, since the request may still be on its way; then look at the event in the calendar, and update it again only if it is not as you want it",
    read=json_reader(BookingResult),
)


def call(
    project_id: str | UUID,
    event_id: str | UUID,
    *,
    calendar_id: str | UUID | Unset = UNSET,
    start: datetime.datetime | str | Unset = UNSET,
    end: datetime.datetime | str | Unset = UNSET,
    duration_minutes: int | Unset = UNSET,
    time_zone: str | Unset = UNSET,
    summary: str | Unset = UNSET,
    description: str | Unset = UNSET,
    conflict_check: bool | Unset = UNSET,
    notify_attendees: bool | Unset = UNSET,
) -> Call[BookingResult]:
    """Move a calendar event, or change its title or description.

    The arguments are `project_id` and those of `project.calendar.reschedule`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 6.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/calendar/provider/events/{segment('event_id', event_id)}",
        body(
            RescheduleEventBody,
            calendar_id=identifier(calendar_id),
            start=timestamp("start", start, time_zone),
            end=timestamp("end", end, time_zone),
            duration_minutes=duration_minutes,
            time_zone=time_zone,
            summary=summary,
            description=description,
            conflict_check=conflict_check,
            notify_attendees=notify_attendees,
        ),
    )
