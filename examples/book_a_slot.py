"""How do I book the next free slot? Reads the busy intervals, books, tries a taken slot, and moves the event.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes an event to the connected calendar, without invitations.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

from project_platform import Client, SlotTakenError
from project_platform.models import BusyInterval
from project_platform_stub import Stub

BERLIN = ZoneInfo("Europe/Berlin")
LENGTH = timedelta(minutes=30)


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def first_free(opens: datetime, closes: datetime, busy: Sequence[BusyInterval]) -> datetime:
    """Return the start of the first slot between `opens` and `closes` that overlaps no busy interval."""
    taken = [
        (datetime.fromisoformat(interval.start), datetime.fromisoformat(interval.end))
        for interval in busy
        if interval.start and interval.end
    ]
    start = opens
    while start + LENGTH <= closes:
        if all(end <= start or start + LENGTH <= begin for begin, end in taken):
            return start
        start += LENGTH
    raise LookupError("The day is full.")


def main() -> None:
    """Book tomorrow's first free slot, then try to book it again."""
    opens = datetime.now(BERLIN).replace(hour=9, minute=0, second=0, microsecond=0) + timedelta(days=1)
    closes = opens + timedelta(hours=9)
    with connect() as client:
        calendar = client.project().calendar
        busy = calendar.busy(time_min=opens, time_max=closes)
        start = first_free(opens, closes, busy)
        print(f"busy: {len(busy)} intervals; first free at {start:%H:%M}")

        booking = calendar.book(start=start, duration_minutes=30, time_zone="Europe/Berlin", summary="Site visit")
        print(f"booked: {booking.start} to {booking.end}")

        try:
            calendar.book(start=start, duration_minutes=30, time_zone="Europe/Berlin", summary="Too late")
        except SlotTakenError as error:
            print(f"refused: {error.message} Applied: {error.applied}.")

        later = first_free(start + LENGTH, closes, calendar.busy(time_min=opens, time_max=closes))
        moved = calendar.reschedule(booking.booking_uid, start=later, notify_attendees=False)
        print(f"moved: {moved.start} to {moved.end}")


if __name__ == "__main__":
    main()
