"""How do I count in a record without losing or doubling a count? Runs concurrent increments with lost responses.

Operation tokens distinguish each increment from the others, so that a lost response can be settled. Runs against a stub
server in this process, which drops responses.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from project_platform import ChangeOptions, Client, OperationTokens, RetryPolicy
from project_platform_stub import Stub, faults

WORKERS = 8
TIMES = 5
LOST = 25
# The ring must be longer than the number of increments between a lost response and what settles it.
TOKENS = OperationTokens(ring=WORKERS * TIMES + 1)
COUNTING = ChangeOptions(tokens=TOKENS)
# One call may lose all of these responses, and must continue after them.
PERSISTENT = RetryPolicy(max_attempts=LOST + 1, initial_delay=0.01, max_delay=0.05)


def one_more(data: dict[str, Any]) -> None:
    """Add one. It is called again with a newer snapshot after a conflict."""
    data["count"] += 1


def main() -> None:
    """Count in several threads, and print the sum."""
    stub = Stub()
    stub.world.faults.plan("records_update", [faults.drop_after_apply()] * LOST)
    with (
        Client(
            "https://stub.example",
            token=stub.token(),
            project_id=stub.project.id,
            transport=stub.transport(),
            retry=PERSISTENT,
        ) as client,
        ThreadPoolExecutor(WORKERS) as threads,
    ):
        counters = client.project().records.of("deal", change_options=COUNTING, refresh="noop")
        counter = counters.create({"count": 0})

        def count(_: int) -> None:
            record = counter
            for _ in range(TIMES):
                # Each conflict is caused by another increment, so there are at most this many.
                record = counters.modify(record, one_more, max_snapshots=WORKERS * TIMES)

        list(threads.map(count, range(WORKERS)))  # raises exceptions of the threads

        total = counters.modify(counter, one_more, max_snapshots=2).data
        print(f"{WORKERS} workers counted {TIMES} times each, and one more: {total['count']}")
        stub.world.faults.check()  # raises if a planned fault was not used
        print(f"lost responses: {LOST}")


if __name__ == "__main__":
    main()
