"""How do I count in a record without losing or doubling a count? Many count at once, and answers get lost.

Operation tokens tell every count from every other, so that a lost answer is settled and not guessed. Runs against the
service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in this process; the
losses are put in by this program. It writes a record of the type `deal`.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import httpx

from project_platform import Client, OperationTokens, RetryPolicy
from project_platform_stub import Stub

WORKERS = 8
TIMES = 5
# The ring has to reach back over all the counts that may come between one that got lost and the look at it.
TOKENS = OperationTokens(ring=WORKERS * TIMES + 1)
SOON = RetryPolicy(initial_delay=0.01)


class LosesFirstAnswers(httpx.BaseTransport):
    """Lets every update reach the service, and loses the answer to each when it is sent for the first time."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.lost: set[bytes] = set()

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Let the service carry the request out, and break the connection if it is a new update."""
        response = self._inner.handle_request(request)
        sent = request.read()
        if request.method == "PATCH" and sent not in self.lost:
            self.lost.add(sent)
            response.close()
            raise httpx.ReadError("the connection was reset", request=request)
        return response

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


def connect() -> tuple[Client, LosesFirstAnswers]:
    """Return a client of the service in the environment or of a stub in this process, and its transport."""
    if "PROJECT_PLATFORM_BASE_URL" in os.environ:
        transport = LosesFirstAnswers(httpx.HTTPTransport())
        return Client(transport=transport, retry=SOON), transport
    stub = Stub()
    transport = LosesFirstAnswers(stub.transport())
    client = Client(
        "https://stub.example", token=stub.token(), project_id=stub.project.id, transport=transport, retry=SOON
    )
    return client, transport


def one_more(data: dict[str, Any]) -> None:
    """Count one. It is called again on a newer snapshot when another count came first."""
    data["count"] += 1


def main() -> None:
    """Count in several threads, and look at the sum."""
    client, transport = connect()
    # A client leaves the transport that it was given open: whoever made it closes it.
    with transport, client, ThreadPoolExecutor(WORKERS) as threads:
        records = client.project().records
        counter = records.create(type_slug="deal", data={"count": 0, **TOKENS.first()})

        def count(_: int) -> None:
            record = counter
            for _ in range(TIMES):
                # Whoever is refused was overtaken by another count, and there are no more of those than this.
                record = records.modify(record, one_more, attempts=WORKERS * TIMES, refresh="noop", tokens=TOKENS)

        list(threads.map(count, range(WORKERS)))  # raises what a thread raised

        total = records.modify(counter, one_more, attempts=2, refresh="noop", tokens=TOKENS).data
        assert total is not None
        print(f"{WORKERS} workers counted {TIMES} times each, and one more: {total['count']}")
        print(f"updates whose first answer was lost: {len(transport.lost)}")


if __name__ == "__main__":
    main()
