"""What do I do when a call fails? Meets the errors that a program should know, a lost answer among them.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes a calendar event, and tries to update a record that does not exist.
"""

from __future__ import annotations

import os
from datetime import UTC, datetime, timedelta

import httpx

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
from project_platform_stub import Stub


class LosesAnswers(httpx.BaseTransport):
    """Hands requests on, and loses the answer to the next one after `lose_next` was set."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.lose_next = False

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Let the service carry the request out, and break the connection before the answer is read."""
        response = self._inner.handle_request(request)
        if self.lose_next:
            self.lose_next = False
            response.close()
            raise httpx.ReadError("the connection was reset", request=request)
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


def connect() -> tuple[Client, LosesAnswers]:
    """Return a client, and the transport that can lose answers for it."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        transport = LosesAnswers(httpx.HTTPTransport())
        return Client(transport=transport), transport
    stub = Stub()
    transport = LosesAnswers(stub.transport())
    return Client(
        "https://stub.example", token=stub.token(), project_id=stub.project.id, transport=transport
    ), transport


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
    client, transport = connect()
    with transport, client:
        project = client.project()

        try:
            project.agents.list(limit=1000)
        except UsageError as error:
            print(error)

        try:
            project.records.update("no-such-record", data={"stage": "won"})
        except NotFoundError as error:
            show(error)

        transport.lose_next = True
        agents = list(project.agents.list())  # a read: sent again without a word
        print(f"{len(agents)} agents, although an answer was lost")

        transport.lose_next = True
        start = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=1)
        print(book_once(project, start))


if __name__ == "__main__":
    main()
