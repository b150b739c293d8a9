"""What does the SDK report when the response to a write is lost? Saves a typed record whose first response is dropped.

Most clients report the caller's own write as a conflict, or write twice. Here the stub server applies the save and drops its
response; one call settles it. The save of another writer is then refused, since its record is stale.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from project_platform import Client, OutcomeUnknownError, RetryPolicy, StalePreconditionError
from project_platform_stub import Stub, faults

NO_DELAY = RetryPolicy(initial_delay=0)


@dataclass
class Deal:
    """The data of a record of the type `deal`."""

    title: str
    stage: str = "open"


def drop_response(stub: Stub) -> Iterator[tuple[str, str, str]]:
    """Lose and settle a save, and refuse a stale one; yield method, description and outcome of each step."""
    with Client("https://stub.example", token=stub.token(), transport=stub.transport(), retry=NO_DELAY) as client:
        deals = client.project(stub.project.id).records.of("deal", Deal)
        deal = deals.create(Deal(title="Roof"))
        theirs = deals.wrap(deal.raw)
        deal.data.stage = "won"
        stub.world.faults.plan("records_update", faults.drop_after_apply())
        try:
            deals.save(deal)
        except OutcomeUnknownError as error:
            attempts = f"{len(error.attempts)} attempts"
            yield (
                "deals.save",
                "stage 'open' -> 'won', sent again: 409",
                f"applied: {error.applied} ({attempts}); {error.advice}",
            )
            settled = client.settle(error)
            yield "client.settle", "the error", f"applied: {settled.applied}, stage is {settled.value.data['stage']!r}"
        theirs.data.stage = "lost"
        try:
            deals.save(theirs)
        except StalePreconditionError as error:
            yield (
                "deals.save",
                "another writer: stage 'open' -> 'lost'",
                f"{type(error).__name__}, applied: {error.applied}",
            )


if __name__ == "__main__":
    for method, sends, outcome in drop_response(Stub()):
        print(f"{method:14}{sends:40}-> {outcome}")
