"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class BookingResult(Model, frozen=True):
    """A booked event."""

    booking_uid: str | None = None
    """Identifier of the booking."""
    start: str | None = None
    """Start of the event."""
    end: str | None = None
    """End of the event."""
    html_link: str | None = None
    """Address of the event in the external calendar."""
    calendar_id: str | None = None
    """The calendar it was written to."""
