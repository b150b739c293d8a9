"""What does my program do when the service fails? Plans failures, and compares what the program says with what is so.

Runs against a stub server in this process, which fails as it is told to.
"""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

from project_platform import Client, PlatformError, Project, Timeout
from project_platform_stub import Stub, faults

START = datetime.now(UTC).replace(hour=15, minute=0, second=0, microsecond=0) + timedelta(days=3)

FAILURES = (
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
    """Book a slot, and return what the program says to its user: this is what is looked into."""
    try:
        project.calendar.book(start=START, duration_minutes=30, summary="Tasting")
    except PlatformError as error:
        return {"yes": "booked", "no": "not booked"}.get(error.applied, "look at the calendar")
    return "booked"


def main() -> None:
    """Let the program meet each failure, with the calendar as it was before."""
    stub = Stub()
    world = stub.world
    before = world.snapshot()
    with Client(
        "https://stub.example", token=stub.token(), transport=stub.transport(), timeout=Timeout(read=0.3)
    ) as client:
        project = client.project(stub.project.id)
        for fault in FAILURES:
            world.faults.plan("calendar_book", fault)
            says = program(project)
            events = sum(event.summary == "Tasting" for event in world.project.events.values())
            print(f"{fault!s:38}-> {says:21} and there {'is one event' if events else 'is none'}")
            world.restore(before)

    world.faults.check()  # fails if something that was planned did not happen
    print(f"\n{world.faults.report()}")


if __name__ == "__main__":
    main()
