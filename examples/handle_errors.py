"""What do I do when a call fails? Meets the errors that a program should know, a lost answer among them.

Runs against a stub server in this process, which is made to lose answers.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from project_platform import (
    Client,
    NotFoundError,
    OutcomeUnknownError,
    PlatformError,
    Project,
    SlotTakenError,
    StatusError,
    UsageError,
)
from project_platform_stub import Stub, faults


def show(error: PlatformError) -> None:
    """Print what every error tells."""
    status = f" {error.status}" if isinstance(error, StatusError) else ""
    print(f"{type(error).__name__}{status}: applied: {error.applied}, attempts: {len(error.attempts)}")


def book_once(project: Project, start: datetime) -> str:
    """Book a slot, and settle what became of it if the answer is lost."""
    try:
        booking = project.calendar.book(start=start, duration_minutes=30, summary="Site visit")
    except OutcomeUnknownError as error:
        show(error)
        # Look before you repeat. The conflict check makes this repetition harmless: if the first booking landed, the
        # slot is taken, and no second event is written.
        try:
            booking = project.calendar.book(start=start, duration_minutes=30, summary="Site visit")
        except SlotTakenError:
            return "the slot is taken, by the first booking or by someone else: look at the calendar"
    return f"booked {booking.booking_uid}"


def main() -> None:
    """Meet the errors one by one."""
    stub = Stub()
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        project = client.project(stub.project.id)

        try:
            project.agents.list(limit=1000)
        except UsageError as error:
            print(error)

        try:
            project.records.update("no-such-record", data={"stage": "won"})
        except NotFoundError as error:
            show(error)

        stub.world.faults.plan("agents_list", faults.drop_after_apply())
        agents = list(project.agents.list())  # a read: sent again without a word
        print(f"{len(agents)} agents, although an answer was lost")

        stub.world.faults.plan("calendar_book", faults.drop_after_apply())
        start = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=1)
        print(book_once(project, start))


if __name__ == "__main__":
    main()
