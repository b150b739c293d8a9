"""Read, change, write over the stub, with the first answer lost after the write has landed."""

from __future__ import annotations

import httpx
import pytest

from project_platform import Client, OutcomeUnknownError, RetryPolicy, StalePreconditionError
from project_platform_stub import Stub


class LosesAnswers(httpx.BaseTransport):
    """Lets every request through, and loses as many answers as it is told to."""

    def __init__(self, inner: httpx.BaseTransport) -> None:
        self.inner = inner
        self.lose = 0

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        """Return the answer, or lose it."""
        response = self.inner.handle_request(request)
        if self.lose:
            self.lose -= 1
            raise httpx.ReadError("reset")
        return response


@pytest.fixture
def line() -> LosesAnswers:
    """Return a transport that loses answers."""
    return LosesAnswers(Stub().transport())


@pytest.fixture
def records(line):
    """Return the records of a client on that transport that never repeats by itself."""
    stub = Stub()
    line.inner = stub.transport()
    client = Client(
        "http://stub.localhost", token=stub.token(), transport=line, retry=RetryPolicy(max_attempts=1, initial_delay=0)
    )
    return client.project(stub.project.id).records


@pytest.mark.parametrize("ending", ["the function returns garbage", "the function raises", "refresh returns garbage"])
def test_an_earlier_doubt_outlives_a_later_failure(records, line, ending):
    """What may have landed in one round is not denied because another round failed of something else."""
    record = records.create(type_slug="deal", data={"n": 0})
    rounds = []

    def edit(data):
        rounds.append(data)
        if len(rounds) == 1:
            line.lose = 1
            return {**data, "n": 1}
        if ending == "the function raises":
            raise LookupError("no more")
        return 7

    def refresh(old):
        return 7 if ending == "refresh returns garbage" else records.update(old.id, data={})

    with pytest.raises(OutcomeUnknownError) as caught:
        records.modify(record, edit, refresh=refresh, replay_safe=True)

    assert caught.value.applied == "unknown"
    assert caught.value.attempts[0].delivery == "lost"
    assert caught.value.__cause__ is not None
    assert records.update(record.id, data={}).data == {"n": 1}


def test_a_replay_that_may_be_repeated_goes_on(records, line):
    """A function that may be called twice is called again on what is there, and the result is there."""
    record = records.create(type_slug="deal", data={"tags": []})
    line.lose = 1

    result = records.modify(
        record,
        lambda data: {**data, "tags": sorted({*data["tags"], "vip"}), "seen": True},
        refresh=lambda old: records.update(old.id, data={}),
        replay_safe=True,
    )

    assert result.data == {"tags": ["vip"], "seen": True}


def test_a_conflict_without_doubt_stays_a_conflict(records):
    """Where nothing was lost, being too late is said as it is, with the report."""
    record = records.create(type_slug="deal", data={"stage": "open"})
    records.update(record.id, data={"stage": "lost"})

    with pytest.raises(StalePreconditionError) as caught:
        records.modify(record, lambda data: {**data, "stage": "won"}, refresh="noop", attempts=1)

    assert caught.value.applied == "no"
    assert caught.value.report.meeting == "conflict"
