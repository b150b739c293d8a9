"""The answer to a write is lost after the write has landed: what does the SDK say?

Most clients report the caller's own write as a conflict, or write twice. Here the stub server is made to carry each change
out and to lose its first answer.
"""

from __future__ import annotations

from collections.abc import Iterator

from project_platform import ChangeOptions, Client, OperationTokens, OutcomeUnknownError, RetryPolicy
from project_platform_stub import Stub, faults

SOON = RetryPolicy(initial_delay=0)


def cut_off_answers(stub: Stub) -> Iterator[tuple[str, str]]:
    """Apply a change three times over, each time with its first answer cut off; give what was sent and what is said."""
    with Client("https://stub.example", token=stub.token(), transport=stub.transport(), retry=SOON) as client:
        records = client.project(stub.project.id).records
        for sends, options in (
            ("stage 'open' -> 'won', sent again: 409", ChangeOptions()),
            ("the same, with a look at the record", ChangeOptions(probe=True)),
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
    for sent, told in cut_off_answers(Stub()):
        print(f"{sent:49}-> {told}")
