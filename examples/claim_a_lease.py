"""How do I make sure that only one worker processes a record? Several workers claim it, and exactly one wins.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It writes a record of the type `deal`.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

from project_platform import ChangeOptions, ChangeResult, Client, Project, StalePreconditionError
from project_platform.models import ObjectRecord
from project_platform_stub import Stub

WORKERS = 8
UNCLAIMED = ""
# The guard of a claim must be exact, and a lost response must be settled.
CLAIM = ChangeOptions(require_exact_guard=True, probe=True)
# A release changes the holder, and also requires that the term is unchanged.
RELEASE = ChangeOptions(guard=["holder", "term"])


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def claim(project: Project, deal: ObjectRecord, worker: str) -> ChangeResult | None:
    """Claim a deal as it was read; return None if another worker was faster.

    Every claim writes the name of its worker, so a claim that is "in effect" belongs to this worker. It also writes the next
    term, which never repeats, so a claim that is delayed in transit cannot be applied after the deal was released.
    """
    claimed = project.records.change(deal, {"holder": worker, "term": deal.data["term"] + 1}, change_options=CLAIM)
    try:
        # If the outcome cannot be settled, an OutcomeUnknownError ends the worker, because it may not hold the lease.
        return project.records.apply(claimed)
    except StalePreconditionError:
        return None


def release(project: Project, held: ObjectRecord) -> ObjectRecord:
    """Release a deal; refused if its holder or term has changed."""
    return project.records.apply(project.records.change(held, {"holder": UNCLAIMED}, change_options=RELEASE)).record


def main() -> None:
    """Let the workers race for a deal, and again after the winner has released it."""
    with connect() as client, ThreadPoolExecutor(WORKERS) as threads:
        project = client.project()
        # Create the guarded keys with the record, because a guard cannot require that a key is absent.
        deal = project.records.create(type_slug="deal", data={"title": "Roof", "holder": UNCLAIMED, "term": 0})
        names = [f"worker {number}" for number in range(WORKERS)]

        for _ in range(2):
            ready = Barrier(WORKERS)

            def race(worker: str, seen: ObjectRecord = deal, ready: Barrier = ready) -> ChangeResult | None:
                ready.wait()
                return claim(project, seen, worker)

            won = [result for result in threads.map(race, names) if result is not None]
            (winner,) = won
            print(f"term {winner.record.data['term']}: {len(won)} of {WORKERS} won, {winner.record.data['holder']}")
            deal = release(project, winner.record)

        print(f"released: {deal.data}")


if __name__ == "__main__":
    main()
