"""Read, change, write over the stub, with the first answer lost after the write has landed."""

from __future__ import annotations

import pytest

from project_platform import Client, OutcomeUnknownError, RetryPolicy, StalePreconditionError
from project_platform_stub.faults import drop_after_apply


@pytest.fixture
def records(stub):
    """Return the records of a client that never repeats by itself."""
    client = Client(
        "http://stub.localhost",
        token=stub.token(),
        transport=stub.transport(),
        retry=RetryPolicy(max_attempts=1, initial_delay=0),
    )
    return client.project(stub.project.id).records


@pytest.fixture
def faults(stub):
    """Return what is planned to go wrong; all of it has to happen."""
    yield stub.world.faults
    stub.world.faults.check()


@pytest.mark.parametrize("ending", ["the function returns garbage", "the function raises", "refresh returns garbage"])
def test_an_earlier_doubt_outlives_a_later_failure(records, faults, ending):
    """What may have landed in one round is not denied because another round failed of something else."""
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


def test_a_replay_that_may_be_repeated_goes_on(records, faults):
    """A function that may be called twice is called again on what is there, and the result is there."""
    record = records.create(type_slug="deal", data={"tags": []})
    faults.plan("records_update", drop_after_apply())

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
        records.modify(record, lambda data: {**data, "stage": "won"}, refresh="noop", max_snapshots=1)

    assert caught.value.applied == "no"
    assert caught.value.report.meeting == "conflict"
