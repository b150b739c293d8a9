"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated, Any

from pydantic import Field

from ...calls.model import Expected, Model, NotNull, RequestModel, absent
from ...frames.columns import TIMESTAMP


class BookingResult(Model, frozen=True):
    """A booked event."""

    booking_uid: Expected[str] = absent()
    """Identifier of the booking."""
    start: Annotated[Expected[str], TIMESTAMP] = absent()
    """Start of the event."""
    end: Annotated[Expected[str], TIMESTAMP] = absent()
    """End of the event."""
    html_link: str | None = None
    """Address of the event in the external calendar."""
    calendar_id: Expected[str] = absent()
    """The calendar it was written to."""


class Attendee(RequestModel, frozen=True):
    """The person to invite. A real invitation is sent to the email address."""

    name: Annotated[str | None, NotNull] = None
    """Name."""
    email: Annotated[str | None, NotNull] = None
    """Email address; a real invitation is sent to it."""
    phone: Annotated[str | None, NotNull] = None
    """Telephone number."""


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


class BusyInterval(Model, frozen=True):
    """An interval in which the calendar is busy."""

    start: Annotated[Expected[str], TIMESTAMP] = absent()
    """Start of the interval."""
    end: Annotated[Expected[str], TIMESTAMP] = absent()
    """End of the interval."""


class BusyResponse(Model, frozen=True):
    """A response with busy intervals."""

    busy: Annotated[list[BusyInterval], Field(fail_fast=True)]
    """The busy intervals."""
