"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated, Any

from pydantic import Field

from ...calls.model import NotNull, RequestModel
from .attendee import Attendee


class CreateBookingBody(RequestModel, frozen=True):
    """An event to book on the external calendar."""

    start: Annotated[str, Field(min_length=1)]
    """Start of the event, an ISO 8601 timestamp."""
    summary: Annotated[str, Field(min_length=1)]
    """Title of the event, at least 1 character."""
    end: Annotated[str | None, Field(min_length=1), NotNull] = None
    """End of the event, an ISO 8601 timestamp; start plus `durationMinutes` if not given."""
    duration_minutes: Annotated[int | None, Field(strict=True), NotNull] = None
    """Length of the event in minutes, if no end is given."""
    time_zone: Annotated[str | None, Field(min_length=1), NotNull] = None
    """IANA time zone for start and end, such as Europe/Berlin."""
    description: Annotated[str | None, NotNull] = None
    """Description of the event."""
    calendar_id: Annotated[str | None, NotNull] = None
    """The calendar to write to; the connected primary calendar if not given."""
    attendee: Annotated[Attendee | None, NotNull] = None
    """The person to invite. A real invitation is sent to the email address."""
    metadata: Annotated[dict[str, Any] | None, NotNull] = None
    """Free-form JSON stored with the event."""
    conflict_check: Annotated[bool | None, Field(strict=True), NotNull] = None
    """Whether to check the busy intervals again before the insert; true if not given."""
