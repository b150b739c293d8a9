"""The calendar: besides the generated operations, bookings in any number."""

from __future__ import annotations

from collections.abc import Iterator

from .._generated.models.calendar import BookingResult
from .._generated.operations import calendar_book
from .._generated.resources import calendar as generated
from ..calls.operation import Call
from ..calls.rows import calls_of_rows
from ..frames.rows import Rows


class _Bookings:
    """The part of the resource that both clients share; it sends nothing."""

    _project_id: str

    def bookings(self, rows: Rows) -> Iterator[Call[BookingResult]]:
        """Return the bookings of rows for a bulk run, one at a time. Nothing is sent.

        A booking whose response is lost is unknown and is never sent again: an invitation may have been sent. Look into the
        calendar, and settle it.

        Args:
            rows: Mappings with the arguments of `book`, or a frame with columns of their names; a value that is None, or a gap, is left out.

        Raises:
            UsageError: A row cannot be sent; raised when it is read, with its position.
        """
        return calls_of_rows(calendar_book.call, rows, self._project_id)


class CalendarResource(_Bookings, generated.CalendarResource):
    """The calendar of a project."""


class AsyncCalendarResource(_Bookings, generated.AsyncCalendarResource):
    """Same as `CalendarResource`, but to be awaited."""
