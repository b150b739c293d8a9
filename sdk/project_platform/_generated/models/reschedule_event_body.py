"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated

from pydantic import Field

from ...calls.model import NotNull, RequestModel


class RescheduleEventBody(RequestModel, frozen=True):
    """Changes of a calendar event."""

    calendar_id: Annotated[str | None, NotNull] = None
    """Identifier of the calendar that the event is in."""
    start: Annotated[str | None, Field(min_length=1), NotNull] = None
    """New start, an ISO 8601 timestamp."""
    end: Annotated[str | None, Field(min_length=1), NotNull] = None
    """New end, an ISO 8601 timestamp."""
    duration_minutes: Annotated[int | None, Field(strict=True), NotNull] = None
    """New length in minutes, if no end is given."""
    time_zone: Annotated[str | None, Field(min_length=1), NotNull] = None
    """IANA time zone for start and end, such as Europe/Berlin."""
    summary: Annotated[str | None, NotNull] = None
    """New title."""
    description: Annotated[str | None, NotNull] = None
    """New description."""
    conflict_check: Annotated[bool | None, Field(strict=True), NotNull] = None
    """Whether to check that the new slot is free."""
    notify_attendees: Annotated[bool | None, Field(strict=True), NotNull] = None
    """Whether attendees are notified again; true if not given."""
