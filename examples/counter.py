"""How do I count in a record without losing or doubling a count? Many count at once, and answers get lost.

Operation tokens tell every count from every other, so that a lost answer is settled and not guessed. Runs against a stub
server in this process, which is made to lose answers.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

from project_platform import ChangeOptions, Client, OperationTokens, RetryPolicy
from project_platform_stub import Stub, faults

WORKERS = 8
TIMES = 5
LOST = 25
# The ring has to reach back over all the counts that may come between one that got lost and the look at it.
TOKENS = OperationTokens(ring=WORKERS * TIMES + 1)
COUNTING = ChangeOptions(tokens=TOKENS)
# One call may meet all of the losses, and is to go on after them.
STUBBORN = RetryPolicy(max_attempts=LOST + 1, initial_delay=0.01, max_delay=0.05)


def one_more(data: dict[str, Any]) -> None:
    """Count one. It is called again on a newer snapshot when another count came first."""
    data["count"] += 1


def main() -> None:
    """Count in several threads, and look at the sum."""
    stub = Stub()
    stub.world.faults.plan("records_update", [faults.drop_after_apply()] * LOST)
    with (
        Client(
            "https://stub.example",
            token=stub.token(),
            project_id=stub.project.id,
            transport=stub.transport(),
            retry=STUBBORN,
        ) as client,
        ThreadPoolExecutor(WORKERS) as threads,
    ):
        records = client.project().records
        counter = records.create(type_slug="deal", data={"count": 0, **TOKENS.first()})

        def count(_: int) -> None:
            record = counter
            for _ in range(TIMES):
                # Whoever is refused was overtaken by another count, and there are no more of those than this.
                record = records.modify(
                    record, one_more, max_snapshots=WORKERS * TIMES, refresh="noop", change_options=COUNTING
                )

        list(threads.map(count, range(WORKERS)))  # raises what a thread raised

        total = records.modify(counter, one_more, max_snapshots=2, refresh="noop", change_options=COUNTING).data
        print(f"{WORKERS} workers counted {TIMES} times each, and one more: {total['count']}")
        stub.world.faults.check()  # fails if an answer that was to be lost was not
        print(f"answers that were lost on the way: {LOST}")


if __name__ == "__main__":
    main()
