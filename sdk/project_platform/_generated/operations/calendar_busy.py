"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import (
    identifier,
    moment,
    query,
    text,
)
from ...calls.encoding import project_id as checked_project_id
from ...calls.listing import Listing
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.calendar import BusyInterval, BusyResponse

OPERATION: Final[Operation[Listing[BusyInterval]]] = Operation(
    id="calendar_busy",
    method="GET",
    path="/projects/{project_id}/calendar/provider/busy",
    retry="safe",
    effect="read",
    section="Endpoints 7",
    read=json_reader(BusyResponse, "busy", listed=BusyInterval),
)


def call(
    project_id: str | UUID,
    *,
    time_min: datetime.datetime | str,
    time_max: datetime.datetime | str,
    calendar_id: str | UUID | Unset = UNSET,
) -> Call[Listing[BusyInterval]]:
    """List the busy intervals of a calendar.

    The arguments are `project_id` and those of `project.calendar.busy`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 7.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/calendar/provider/busy"
        + query(
            timeMin=moment("time_min", time_min),
            timeMax=moment("time_max", time_max),
            calendarId=text("calendar_id", identifier(calendar_id)),
        ),
    )
