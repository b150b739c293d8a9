"""How do I update a record only if it has not changed? Creates a record, updates it, and tries a stale precondition.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes a record of the type `deal`.
"""

from __future__ import annotations

import os

from project_platform import Client, StalePreconditionError
from project_platform_stub import Stub


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def main() -> None:
    """Create a record, update it, and try an update whose precondition is stale."""
    with connect() as client:
        records = client.project().records
        record = records.create(type_slug="deal", data={"title": "Roof", "stage": "open", "note": "call back"})
        print(f"created: {record.data}")

        # A key whose value is None is deleted. The guard lists the values that must not have changed; it is false once
        # the update has been applied, so the SDK can send the update again when a response is lost.
        record = records.update(record.id, data={"stage": "won", "note": None}, expected_data={"stage": "open"})
        print(f"updated: {record.data}")

        try:
            records.update(record.id, data={"stage": "lost"}, expected_data={"stage": "open"})
        except StalePreconditionError as error:
            print(f"refused: {error.message} Applied: {error.applied}.")


if __name__ == "__main__":
    main()
