"""How do I resolve a conflict with someone else's changes? Prints the conflict key by key, and applies the rest.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes a record of the type `deal`.
"""

from __future__ import annotations

import os
from typing import Any

from project_platform import Client, ConflictReport, StalePreconditionError
from project_platform_stub import Stub


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def close_deal(data: dict[str, Any]) -> None:
    """Make the caller's changes."""
    data["stage"] = "won"
    data["price"] = 1200
    data["note"] = "signed"


def show(report: ConflictReport) -> None:
    """Print the old value, the caller's value and the others' value of each key."""
    print(f"{'key':<8}{'base':<12}{'mine':<12}{'theirs':<12}meeting")
    for key in report.keys:
        print(f"{key.key:<8}{key.base!s:<12}{key.mine!s:<12}{key.theirs!s:<12}{key.meeting}")
    print(f"as a whole: {report.meeting}")


def main() -> None:
    """Cause a conflict, print its report, and apply the changes that do not contradict the others."""
    with connect() as client:
        records = client.project().records
        data = {"stage": "open", "price": 1000, "note": "call back", "owner": "Ada"}
        deals = records.of("deal", refresh="noop")
        deal = deals.create(data)
        theirs = records.change(deal.raw, {"price": 1100, "note": "signed", "owner": "Eve"})
        records.apply(theirs)

        try:
            # Only the first snapshot is tried: the newer one is for the report, and is not written to.
            deal = deals.modify(deal, close_deal, max_snapshots=1)
        except StalePreconditionError as error:
            report = error.report
            if report is None:
                raise
            show(report)
            conflicts = {key.key for key in report.keys if key.meeting == "conflict"}

            def close_the_rest(newer: dict[str, Any]) -> dict[str, Any]:
                closed = dict(newer)
                close_deal(closed)
                return newer | {key: value for key, value in closed.items() if key not in conflicts}

            deal = deals.modify(deal, close_the_rest)
            print(f"left to a person: {sorted(conflicts)}")
        print(f"now {deal.data}")


if __name__ == "__main__":
    main()
