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
from ..models.calendar import Attendee, BookingResult, CreateBookingBody

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

    The arguments are `project_id` and those of `project.calendar.book`, whose documentation has them.

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
