"""How do I change a record and learn the outcome? Creates changes as values, inspects them, and applies them.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes a record of the type `deal`.
"""

from __future__ import annotations

import os

from project_platform import DELETE, Client, OutcomeUnknownError, StalePreconditionError
from project_platform_stub import Stub


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def main() -> None:
    """Change a record in two ways, then apply a change that is out of date."""
    with connect() as client:
        records = client.project().records
        record = records.create(type_slug="deal", data={"title": "Roof", "stage": "open", "note": "call back"})

        # A change is a value: nothing is sent until it is applied.
        change = records.change(record, {"stage": "won", "note": DELETE})
        print(f"sent as data:         {change.patch}")
        print(f"sent as expectedData: {change.guard}")
        print(f"cannot land twice:    {change.fences}")
        result = records.apply(change)
        print(f"applied: {result.applied}, now {result.record.data}")

        # A typed record is edited as a value of your class; here, as a dict. Saving it applies the difference.
        deals = records.of("deal")
        deal = deals.wrap(result.record)
        deal.data["stage"] = "paid"
        deal.data["invoice"] = {"number": "2027-17", "cents": 1_250_000}
        deal = deals.save(deal)
        print(f"applied: {deal.applied}, now {deal.data}")

        late = records.change(record, {"stage": "lost"})
        try:
            records.apply(late)
        except StalePreconditionError as error:
            print(f"refused: {late} Applied: {error.applied}.")
        except OutcomeUnknownError as error:
            print(f"settled: {client.settle(error).applied}")


if __name__ == "__main__":
    main()
