"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ...calls.listing import Listing
from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.calendar import Attendee, BookingResult, BusyInterval
from ..operations import calendar_book, calendar_busy, calendar_reschedule

if TYPE_CHECKING:
    from ...calls.configuration import Options


class CalendarResource(Resource):
    """The `calendar` of a project."""

    def book(
        self,
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
        options: "Options | None" = None,
    ) -> BookingResult:
        """Book an event on the connected external calendar.

        The event is written to the external calendar, and if it has an attendee with an email address, a real
        invitation is sent. If `conflict_check` is true, the busy intervals are checked again immediately before the
        insert, and a slot that was taken meanwhile is a 409. The calendar connection must have the calendar-events
        write scope.

        Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

        Example:
            ```python
            booking = project.calendar.book(
                start="2031-07-01T09:00:00Z",
                duration_minutes=30,
                summary="Site visit",
            )
            print(booking.start, booking.end)
            ```

        Args:
            start: Start of the event, an ISO 8601 timestamp.
            summary: Title of the event, at least 1 character.
            end: End of the event, an ISO 8601 timestamp; start plus `duration_minutes` if not given.
            duration_minutes: Length of the event in minutes, if no end is given.
            time_zone: IANA time zone for start and end, such as Europe/Berlin.
            description: Description of the event.
            calendar_id: The calendar to write to; the connected primary calendar if not given.
            attendee: The person to invite. A real invitation is sent to the email address.
            metadata: Free-form JSON stored with the event.
            conflict_check: Whether to check the busy intervals again before the insert; true if not given.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            SlotTakenError: 409: The slot was taken while `conflict_check` is true; nothing was written.
            RateLimitError: 429: Too many requests; wait before sending the next.
            ServerError: 502: The provider behind the service failed. 503: The service is not available right now.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 5.
        """
        return self._send(
            calendar_book.call(
                self._project_id,
                start=start,
                summary=summary,
                end=end,
                duration_minutes=duration_minutes,
                time_zone=time_zone,
                description=description,
                calendar_id=calendar_id,
                attendee=attendee,
                metadata=metadata,
                conflict_check=conflict_check,
            ),
            options,
        )

    def busy(
        self,
        *,
        time_min: datetime.datetime | str,
        time_max: datetime.datetime | str,
        calendar_id: str | UUID | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Listing[BusyInterval]:
        """List the busy intervals of a calendar.

        The intervals that overlap the range from `time_min` (inclusive) to `time_max` (exclusive).

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            busy = project.calendar.busy(
                time_min="2031-07-01T00:00:00Z",
                time_max="2031-07-02T00:00:00Z",
            )
            print(len(busy))
            ```

        Args:
            time_min: Start of the range, inclusive, an ISO 8601 timestamp.
            time_max: End of the range, exclusive, an ISO 8601 timestamp.
            calendar_id: The calendar to read; the connected primary calendar if not given.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            RateLimitError: 429: Too many requests; wait before sending the next.
            ServerError: 502: The provider behind the service failed. 503: The service is not available right now.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 7.
        """
        return self._send(
            calendar_busy.call(
                self._project_id,
                time_min=time_min,
                time_max=time_max,
                calendar_id=calendar_id,
            ),
            options,
        )

    def reschedule(
        self,
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
        options: "Options | None" = None,
    ) -> BookingResult:
        """Move a calendar event, or change its title or description.

        The event gets a new start and end, a new title and description, or both. Attendees are notified again unless
        `notify_attendees` is false.

        Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

        Example:
            ```python
            booking = project.calendar.book(
                start="2031-07-01T09:00:00Z",
                summary="Site visit",
            )
            booking = project.calendar.reschedule(
                booking.booking_uid,
                start="2031-07-01T10:00:00Z",
                notify_attendees=False,
            )
            print(booking.start)
            ```

        Args:
            event_id: Identifier of the calendar event, the `booking_uid` of its booking.
            calendar_id: Identifier of the calendar that the event is in.
            start: New start, an ISO 8601 timestamp.
            end: New end, an ISO 8601 timestamp.
            duration_minutes: New length in minutes, if no end is given.
            time_zone: IANA time zone for start and end, such as Europe/Berlin.
            summary: New title.
            description: New description.
            conflict_check: Whether to check that the new slot is free.
            notify_attendees: Whether attendees are notified again; true if not given.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            SlotTakenError: 409: The slot was taken while `conflict_check` is true; nothing was written.
            RateLimitError: 429: Too many requests; wait before sending the next.
            ServerError: 502: The provider behind the service failed. 503: The service is not available right now.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 6.
        """
        return self._send(
            calendar_reschedule.call(
                self._project_id,
                event_id,
                calendar_id=calendar_id,
                start=start,
                end=end,
                duration_minutes=duration_minutes,
                time_zone=time_zone,
                summary=summary,
                description=description,
                conflict_check=conflict_check,
                notify_attendees=notify_attendees,
            ),
            options,
        )


class AsyncCalendarResource(AsyncResource):
    """The `calendar` of a project, as coroutines."""

    async def book(
        self,
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
        options: "Options | None" = None,
    ) -> BookingResult:
        """Book an event on the connected external calendar.

        Same as `CalendarResource.book`, but awaited.
        """
        return await self._send(
            calendar_book.call(
                self._project_id,
                start=start,
                summary=summary,
                end=end,
                duration_minutes=duration_minutes,
                time_zone=time_zone,
                description=description,
                calendar_id=calendar_id,
                attendee=attendee,
                metadata=metadata,
                conflict_check=conflict_check,
            ),
            options,
        )

    async def busy(
        self,
        *,
        time_min: datetime.datetime | str,
        time_max: datetime.datetime | str,
        calendar_id: str | UUID | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Listing[BusyInterval]:
        """List the busy intervals of a calendar.

        Same as `CalendarResource.busy`, but awaited.
        """
        return await self._send(
            calendar_busy.call(
                self._project_id,
                time_min=time_min,
                time_max=time_max,
                calendar_id=calendar_id,
            ),
            options,
        )

    async def reschedule(
        self,
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
        options: "Options | None" = None,
    ) -> BookingResult:
        """Move a calendar event, or change its title or description.

        Same as `CalendarResource.reschedule`, but awaited.
        """
        return await self._send(
            calendar_reschedule.call(
                self._project_id,
                event_id,
                calendar_id=calendar_id,
                start=start,
                end=end,
                duration_minutes=duration_minutes,
                time_zone=time_zone,
                summary=summary,
                description=description,
                conflict_check=conflict_check,
                notify_attendees=notify_attendees,
            ),
            options,
        )
