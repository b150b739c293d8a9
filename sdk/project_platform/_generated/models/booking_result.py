"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


class BookingResult(Model, frozen=True):
    """A booked event."""

    booking_uid: Expected[str] = absent()
    """Identifier of the booking."""
    start: Expected[str] = absent()
    """Start of the event."""
    end: Expected[str] = absent()
    """End of the event."""
    html_link: str | None = None
    """Address of the event in the external calendar."""
    calendar_id: Expected[str] = absent()
    """The calendar it was written to."""
