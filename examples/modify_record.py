"""How do I change a record with a function while others change it too? Repeats read, change and write until it succeeds.

The specification shows no operation that reads a record. So you choose where a newer snapshot comes from: an update that
changes nothing, or a function. Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and
`_PROJECT` name, or against a stub server in this process. It writes records of the type `deal`.
"""

from __future__ import annotations

import os
from typing import Any

from project_platform import Client
from project_platform.models import ObjectRecord
from project_platform_stub import Stub


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def sign(data: dict[str, Any]) -> None:
    """Add a signature. The function may be called again with a newer snapshot, so it only changes the data."""
    data["signatures"] = [*data["signatures"], "Ada"]
    data["missing"] = data["missing"] - 1


def main() -> None:
    """Modify a record from a stale snapshot, in two ways."""
    with connect() as client:
        records = client.project().records
        unsigned: dict[str, Any] = {"signatures": [], "missing": 3}

        stale = records.create(type_slug="deal", data=unsigned)
        records.apply(records.change(stale, {"signatures": ["Bob"], "missing": 2}))  # Bob signs first
        deals = records.of("deal", refresh="noop")
        signed = deals.modify(deals.wrap(stale), sign)
        print(f"after an update that changes nothing: {signed.data}")

        # The newest known state of each record: from the program's writes, a webhook or an export.
        newest: dict[str | None, ObjectRecord] = {}

        def newest_snapshot(old: ObjectRecord) -> ObjectRecord:
            return newest[old.id]

        stale = records.create(type_slug="deal", data=unsigned)
        newest[stale.id] = records.apply(records.change(stale, {"signatures": ["Eve"], "missing": 2})).record
        deals = records.of("deal", refresh=newest_snapshot)
        signed = deals.modify(deals.wrap(stale), sign)
        print(f"after a function returned a snapshot: {signed.data}")


if __name__ == "__main__":
    main()
