"""How do I make sure that only one worker deals with a record? Several claim it at once, and exactly one wins.

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
NOBODY = ""
# A claim is only worth something if its guard holds every value exactly, and a lost answer has to be settled.
CLAIM = ChangeOptions(require_exact_guard=True, probe=True)
# A release changes the holder, and is refused as well if the term is another one.
RELEASE = ChangeOptions(guard=["holder", "term"])


def connect() -> Client:
    """Return a client of the service in the environment, or of a stub server in this process."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        return Client()
    stub = Stub()
    return Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=stub.transport())


def claim(project: Project, deal: ObjectRecord, worker: str) -> ChangeResult | None:
    """Claim a deal as it was seen; return None if another worker was faster.

    Every claim writes a name that no other worker writes, so one that is "in effect" is ours. And it writes the next
    term: a term never comes back, so a claim that is delayed on its way cannot land after the deal was released.
    """
    claimed = project.records.change(deal, {"holder": worker, "term": deal.data["term"] + 1}, change_options=CLAIM)
    try:
        # Were it not to be settled, an OutcomeUnknownError would end the worker: who does not know must not work.
        return project.records.apply(claimed)
    except StalePreconditionError:
        return None


def release(project: Project, held: ObjectRecord) -> ObjectRecord:
    """Give a deal back; refused if it is not held any more as it was."""
    return project.records.apply(project.records.change(held, {"holder": NOBODY}, change_options=RELEASE)).record


def main() -> None:
    """Let the workers race, and race again after the winner has released the deal."""
    with connect() as client, ThreadPoolExecutor(WORKERS) as threads:
        project = client.project()
        # What is to be guarded is there from the start: that a key is absent cannot be guarded.
        deal = project.records.create(type_slug="deal", data={"title": "Roof", "holder": NOBODY, "term": 0})
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
