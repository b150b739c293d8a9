"""The answer to a write is lost after the write has landed: what does the SDK say?

Most clients report the caller's own write as a conflict, or write twice. Here a transport lets each request through and
cuts the first answer off.
"""

from __future__ import annotations

from collections.abc import Iterator

import httpx

from project_platform import Client, OperationTokens, OutcomeUnknownError, RetryPolicy
from project_platform_stub import Stub


class CutsTheFirstAnswer(httpx.BaseTransport):
    """Lets every request reach the service, and loses the answer to the first."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self._inner = inner
        self._left = 1

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, or lose it."""
        response = self._inner.handle_request(request)
        if self._left:
            self._left -= 1
            response.read()
            raise httpx.ReadError("the connection was reset before the answer came")
        return response


def cut_off_answers(stub: Stub) -> Iterator[tuple[str, str]]:
    """Apply a change three times over, each time with its first answer cut off; give what was sent and what is said."""
    ids = stub.describe("http://stub.localhost")
    token, project_id = ids["tokens"]["owner"], ids["project_id"]
    for sends, tokens, probe in (
        ("stage 'open' -> 'won', sent again: 409", None, False),
        ("the same, with a look at the record", None, True),
        ("the same, with an operation token", OperationTokens(), False),
    ):
        with Client("http://stub.localhost", token=token, transport=stub.transport()) as client:
            record = client.project(project_id).records.create(type_slug="deal", data={"stage": "open"})
        cut = CutsTheFirstAnswer(stub.transport())
        with Client("http://stub.localhost", token=token, transport=cut, retry=RetryPolicy(initial_delay=0)) as client:
            records = client.project(project_id).records
            change = records.change(record, {"stage": "won"}, tokens=tokens)
            try:
                result = records.apply(change, probe=probe)
            except OutcomeUnknownError as unknown:
                yield sends, f"applied: {unknown.applied}, and never a conflict ({len(unknown.attempts)} attempts)"
            else:
                stage = (result.record.data or {})["stage"]
                yield sends, f"applied: {result.applied}, stage is {stage!r} ({len(result.attempts)} attempts)"


if __name__ == "__main__":
    for sent, told in cut_off_answers(Stub()):
        print(f"{sent:49}-> {told}")
