"""How often and how fast is a call sent again? Calls a failing service with three policies.

Runs against a stub server in this process.
"""

from __future__ import annotations

from tenacity import stop_after_attempt, stop_after_delay, wait_fixed

from project_platform import Client, Options, RetryPolicy, ServerError
from project_platform_stub import Stub, faults

FAILURE = faults.status(503, message="Out for lunch.")

PATIENT = RetryPolicy(max_attempts=5, initial_delay=0.05, max_delay=1, deadline=20)
STEADY = RetryPolicy(stop=stop_after_attempt(4) | stop_after_delay(20), wait=wait_fixed(0.05))
ONCE = RetryPolicy(max_attempts=1)


def main() -> None:
    """Read the scheduled posts with each policy."""
    stub = Stub()
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        posts = client.project(stub.project.id).posts
        for name, policy in (("patient", PATIENT), ("steady", STEADY)):
            stub.world.journal.clear()
            stub.world.faults.plan("posts_list", faults.flaky(2, FAILURE))
            found = posts.list(options=Options(retry=policy))
            print(f"{name}: {len(found)} posts after {len(stub.world.journal)} requests")

        stub.world.faults.plan("posts_list", FAILURE)
        try:
            posts.list(options=Options(retry=ONCE))
        except ServerError as error:
            print(f"once: {error.status} {error.message}")


if __name__ == "__main__":
    main()
