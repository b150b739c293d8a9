"""What does the SDK report when the response to a write is lost? Applies changes whose first response is dropped.

Most clients report the caller's own write as a conflict, or write twice. Here the stub server applies each change and drops
the first response.
"""

from __future__ import annotations

from collections.abc import Iterator

from project_platform import ChangeOptions, Client, OperationTokens, OutcomeUnknownError, RetryPolicy
from project_platform_stub import Stub, faults

NO_DELAY = RetryPolicy(initial_delay=0)


def drop_responses(stub: Stub) -> Iterator[tuple[str, str]]:
    """Apply three changes with the first response dropped; yield a description and the reported outcome of each."""
    with Client("https://stub.example", token=stub.token(), transport=stub.transport(), retry=NO_DELAY) as client:
        records = client.project(stub.project.id).records
        for sends, options in (
            ("stage 'open' -> 'won', sent again: 409", ChangeOptions()),
            ("the same, with a probe of the record", ChangeOptions(probe=True)),
            ("the same, with an operation token", ChangeOptions(tokens=OperationTokens())),
        ):
            record = records.create(type_slug="deal", data={"stage": "open"})
            change = records.change(record, {"stage": "won"}, change_options=options)
            stub.world.faults.plan("records_update", faults.drop_after_apply())
            try:
                result = records.apply(change)
            except OutcomeUnknownError as unknown:
                yield sends, f"applied: {unknown.applied}, and never a conflict ({len(unknown.attempts)} attempts)"
            else:
                stage = result.record.data["stage"]
                yield sends, f"applied: {result.applied}, stage is {stage!r} ({len(result.attempts)} attempts)"


if __name__ == "__main__":
    for sends, outcome in drop_responses(Stub()):
        print(f"{sends:49}-> {outcome}")
