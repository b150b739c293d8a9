"""How do I handle errors? Shows the errors that a program should handle, including a lost response.

Runs against a stub server in this process, which drops responses.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from project_platform import (
    Client,
    NotFoundError,
    OutcomeUnknownError,
    PlatformError,
    Project,
    StatusError,
    UsageError,
)
from project_platform_stub import Stub, faults


def show(error: PlatformError) -> None:
    """Print the attributes that every error has."""
    status = f" {error.status}" if isinstance(error, StatusError) else ""
    print(f"{type(error).__name__}{status}: applied: {error.applied}, attempts: {len(error.attempts)}")


def book_once(project: Project, start: datetime) -> str:
    """Book a slot; if the response is lost, say what a person has to look at, since repeating it could invite twice."""
    try:
        booking = project.calendar.book(start=start, duration_minutes=30, summary="Site visit")
    except OutcomeUnknownError as error:
        show(error)
        return f"a person has to look: {error.advice}"
    return f"booked {booking.booking_uid}"


def win(client: Client, project: Project) -> str:
    """Win a deal, and settle the update if the response is lost."""
    deal = project.records.create(type_slug="deal", data={"stage": "open"})
    try:
        deal = project.records.update(deal.id, data={"stage": "won"}, expected_data={"stage": "open"})
    except OutcomeUnknownError as error:
        show(error)
        settled = client.settle(error)
        return f"applied: {settled.applied}, stage {settled.value.data['stage']}"
    return f"applied: yes, stage {deal.data['stage']}"


def main() -> None:
    """Cause the errors one by one."""
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
        agents = list(project.agents.list())  # a read is sent again automatically
        print(f"{len(agents)} agents, although a response was lost")

        stub.world.faults.plan("calendar_book", faults.drop_after_apply())
        start = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=1)
        print(book_once(project, start))

        stub.world.faults.plan("records_update", faults.drop_after_apply())
        print(win(client, project))


if __name__ == "__main__":
    main()
