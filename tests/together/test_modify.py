"""`modify` against the stub, with the first response lost after the write was applied."""

from __future__ import annotations

import pytest

from project_platform import Client, OutcomeUnknownError, RetryPolicy, StalePreconditionError
from project_platform_stub.faults import drop_after_apply


@pytest.fixture
def records(stub):
    """Return the records of a client without retries."""
    client = Client(
        "http://stub.localhost",
        token=stub.token(),
        transport=stub.transport(),
        retry=RetryPolicy(max_attempts=1, initial_delay=0),
    )
    return client.project(stub.project.id).records


@pytest.fixture
def faults(stub):
    """The planned faults; all of them have to be met."""
    yield stub.world.faults
    stub.world.faults.check()


@pytest.mark.parametrize("ending", ["the function returns garbage", "the function raises", "refresh returns garbage"])
def test_an_unknown_outcome_outlives_a_later_failure(records, faults, ending):
    """A write that may have been applied in one round is not reported as failed because another round failed."""
    record = records.create(type_slug="deal", data={"n": 0})
    rounds = []

    def edit(data):
        rounds.append(data)
        if len(rounds) == 1:
            faults.plan("records_update", drop_after_apply())
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


def test_a_replay_safe_function_is_called_again(records, faults):
    """On the present record, and the result is as intended."""
    record = records.create(type_slug="deal", data={"tags": []})
    faults.plan("records_update", drop_after_apply())

    result = records.modify(
        record,
        lambda data: {**data, "tags": sorted({*data["tags"], "vip"}), "seen": True},
        refresh=lambda old: records.update(old.id, data={}),
        replay_safe=True,
    )

    assert result.data == {"tags": ["vip"], "seen": True}


def test_a_certain_conflict_is_reported_as_a_conflict(records):
    """If no response was lost, a stale precondition is reported with its details."""
    record = records.create(type_slug="deal", data={"stage": "open"})
    records.update(record.id, data={"stage": "lost"})

    with pytest.raises(StalePreconditionError) as caught:
        records.modify(record, lambda data: {**data, "stage": "won"}, refresh="noop", max_snapshots=1)

    assert caught.value.applied == "no"
    assert caught.value.report.meeting == "conflict"
