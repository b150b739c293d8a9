"""How do I make sure that only one worker processes a record? Several workers claim it, and exactly one wins.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes a record of the type `deal`.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Barrier

from project_platform import ChangeOptions, Client, OutcomeUnknownError, Project, Record, StalePreconditionError
from project_platform_stub import Stub

WORKERS = 8
UNCLAIMED = ""
# The guard of a claim must be exact.
CLAIM = ChangeOptions(guard="exact")
# A release changes the holder, and also requires that the term is unchanged.
RELEASE = ChangeOptions(guard=["holder", "term"])


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


@dataclass
class Deal:
    """The data of a deal. The guarded keys are created with it, because a guard cannot require that a key is absent."""

    title: str
    holder: str = UNCLAIMED
    term: int = 0


def claim(project: Project, seen: Record[Deal], worker: str) -> Record[Deal] | None:
    """Claim a deal as it was read; return None if another worker was faster.

    Every claim writes the name of its worker, so a claim that is "in effect" belongs to this worker. It also writes the next
    term, which never repeats, so a claim that is delayed in transit cannot be applied after the deal was released.
    """
    deals = project.records.of("deal", Deal, change_options=CLAIM)
    deal = deals.wrap(seen.raw)  # a draft of this worker
    deal.data.holder, deal.data.term = worker, deal.data.term + 1
    try:
        return deals.save(deal)
    except StalePreconditionError:
        return None
    except OutcomeUnknownError:
        # If it stays unknown, the error ends the worker, because it may not hold the lease.
        return deals.settle(deal)


def release(project: Project, held: Record[Deal]) -> Record[Deal]:
    """Release a deal; refused if its holder or term has changed."""
    deals = project.records.of("deal", Deal, change_options=RELEASE)
    held.data.holder = UNCLAIMED
    return deals.save(deals.wrap(held.raw), held.data)


def main() -> None:
    """Let the workers race for a deal, and again after the winner has released it."""
    with connect() as client, ThreadPoolExecutor(WORKERS) as threads:
        project = client.project()
        deal = project.records.of("deal", Deal).create(Deal("Roof"))
        names = [f"worker {number}" for number in range(WORKERS)]

        for _ in range(2):
            ready = Barrier(WORKERS)

            def race(worker: str, seen: Record[Deal] = deal, ready: Barrier = ready) -> Record[Deal] | None:
                ready.wait()
                return claim(project, seen, worker)

            won = [result for result in threads.map(race, names) if result is not None]
            (winner,) = won
            print(f"term {winner.data.term}: {len(won)} of {WORKERS} won, {winner.data.holder}")
            deal = release(project, winner)

        print(f"released: {deal.data}")


if __name__ == "__main__":
    main()
