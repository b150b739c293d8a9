"""How often, and how fast, is a call sent again? Lets a service fail twice, and calls it with three policies.

Runs against the service that `PROJECT_PLATFORM_BASE_URL`, `_TOKEN` and `_PROJECT` name, or against a stub server in
this process. It only reads; the failures are put in by this program.
"""

from __future__ import annotations

import os

import httpx
from tenacity import stop_after_attempt, stop_after_delay, wait_fixed

from project_platform import Client, Options, RetryPolicy, ServerError
from project_platform_stub import Stub

FAILURES = 2

PATIENT = RetryPolicy(max_attempts=5, initial_delay=0.05, max_delay=1, deadline=20)
STEADY = RetryPolicy(stop=stop_after_attempt(4) | stop_after_delay(20), wait=wait_fixed(0.05))
ONCE = RetryPolicy(max_attempts=1)


class FailsAtFirst(httpx.BaseTransport):
    """Answers 503 to the first requests after `fail_again`, and hands on the others."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self.fail_again()

    def fail_again(self) -> None:
        """Start from the beginning."""
        self.sent = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Fail, or hand the request on."""
        self.sent += 1
        if self.sent <= FAILURES:
            return httpx.Response(503, json={"message": "Out for lunch."})
        return self._inner.handle_request(request)

    def close(self) -> None:
        """Close the inner transport."""
        self._inner.close()


def main() -> None:
    """Read the scheduled posts with each policy."""
    stub = None if "PROJECT_PLATFORM_BASE_URL" in os.environ else Stub()
    service = FailsAtFirst(stub.transport() if stub else httpx.HTTPTransport())
    client = (
        Client("https://stub.example", token=stub.token(), project_id=stub.project.id, transport=service)
        if stub
        else Client(transport=service)
    )
    # A client leaves the transport that it was given open: whoever made it closes it.
    with service, client:
        posts = client.project().posts
        for name, policy in (("patient", PATIENT), ("steady", STEADY)):
            service.fail_again()
            found = posts.list(options=Options(retry=policy))
            print(f"{name}: {len(found)} posts after {service.sent} requests")
        service.fail_again()
        try:
            posts.list(options=Options(retry=ONCE))
        except ServerError as error:
            print(f"once: {error.status} {error.message}")


if __name__ == "__main__":
    main()
