"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated

from ...calls.model import Expected, Model, absent
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
