"""What does my program do when the service fails? Plans faults, and compares the program's output with the calendar.

Runs against a stub server in this process.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from project_platform import Client, PlatformError, Project, Timeout
from project_platform_stub import Stub, faults

START = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=3)

FAULTS = (
    faults.status(429, retry_after=1),
    faults.status(400, message="Not today."),
    faults.reset(),
    faults.drop_after_apply(),
    faults.truncated(),
    faults.hang(5),
    faults.latency(0.1),
    faults.html_502(applied=True),
)


def program(project: Project) -> str:
    """Book a slot, and return the message for the user. This is the program under test."""
    try:
        project.calendar.book(start=START, duration_minutes=30, summary="Tasting")
    except PlatformError as error:
        return {"yes": "booked", "no": "not booked"}.get(error.applied, "check the calendar")
    return "booked"


def main() -> None:
    """Run the program with each fault, restoring the calendar after each run."""
    stub = Stub()
    world = stub.world
    before = world.snapshot()
    with Client(
        "https://stub.example", token=stub.token(), transport=stub.transport(), timeout=Timeout(read=0.3)
    ) as client:
        project = client.project(stub.project.id)
        for fault in FAULTS:
            world.faults.plan("calendar_book", fault)
            message = program(project)
            events = sum(event.summary == "Tasting" for event in world.project.events.values())
            print(f"{fault!s:38}-> {message:20}{'one event' if events else 'no event'} in the calendar")
            world.restore(before)

    world.faults.check()  # raises if a planned fault was not used
    print(f"\n{world.faults.report()}")


if __name__ == "__main__":
    main()
