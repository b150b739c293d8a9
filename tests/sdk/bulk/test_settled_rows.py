"""Rows of which it is not known whether they were applied, with `settle=True`: the stub server is the service."""

from __future__ import annotations

import pytest

from project_platform import Client, InputChangedError, Options, OutcomeUnknownError, RetryPolicy, bulk, operations
from project_platform_stub import Stub, faults

LOST = {"after": faults.drop_after_apply(), "before": faults.reset()}


@pytest.fixture
def stub():
    return Stub()


@pytest.fixture
def settle(run, way, stub):
    """Runs rows; returns the counts that are not 0 and the errors of unknown rows."""
    run.project = stub.project.id
    run.client = {"token": stub.token(), "transport": stub.transport() if way == "sync" else stub.async_transport()}

    def settled(items, **options):
        ran = run(items, **options)
        return ran.counts, [row.error for row in ran.report.unknown()]

    return settled


@pytest.fixture
def updates(stub):
    """Updates of three deals without a guard, and one that books an event, which nothing can look at."""
    rows = []
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        records = client.project(stub.project.id).records
        for number in range(3):
            deal = records.create(type_slug="deal", data={"stage": "open"})
            rows.append(operations.records_update(stub.project.id, deal.id, data={"stage": f"won {number}"}))
    visit = {"start": "2031-07-01T09:00:00Z", "duration_minutes": 30, "summary": "Visit"}
    return [*rows, operations.calendar_book(stub.project.id, **visit)]


@pytest.mark.parametrize("lost", LOST)
def test_unknown_rows_of_an_earlier_run_are_settled_as_their_errors_say(settle, stub, updates, lost):
    """Rows that cannot be sent again are looked at; the others keep what a person has to look at."""
    stub.world.faults.plan("records_update", [LOST[lost]] * 3)
    stub.world.faults.plan("calendar_book", LOST["after"])
    counts, errors = settle(updates)
    assert counts == {"unknown": 4}
    assert [error.rpartition("; ")[2] for error in errors[:3]] == [
        "run the same input again with settle=True or --settle"
    ] * 3
    assert "search the calendar" in errors[3]

    counts, errors = settle(updates, settle=True)

    assert counts == ({"in effect": 3, "unknown": 1} if lost == "after" else {"unknown": 4})
    written = [entry for entry in stub.world.journal if entry.operation == "records_update" and b"won" in entry.body]
    assert len(written) == 3
    if lost == "before":
        assert all("compare error.seen" in error for error in errors[:3])


def test_unknown_rows_of_a_partition_are_settled_as_their_errors_say(stub, updates, tmp_path):
    """By another run of the task; where the outcomes are gathered, no run continues them."""
    stub.world.faults.plan("records_update", [LOST["after"]] * 3)
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        project = client.project(stub.project.id)

        def run(**options):
            outcomes = bulk.partition(project, updates[:3], claims=tmp_path / "claims", name="p0", **options)
            return {outcome.row: (outcome.applied, outcome.error) for outcome in outcomes}

        lost = run()
        assert all(
            error.endswith("run the same input again with settle=True or --settle") for _, error in lost.values()
        )
        assert run() == lost
        settled = run(settle=True)
        assert {applied for applied, _ in settled.values()} == {"in effect"}
        assert bulk.gather(tmp_path / "claims", tmp_path / "all").counts["in effect"] == 3
        with pytest.raises(InputChangedError, match="no run continues it"), project.bulk(tmp_path / "all"):
            pass


@pytest.mark.parametrize(("settles", "counts"), [(False, {"unknown": 1}), (True, {"in effect": 1})])
def test_a_change_that_was_applied_before_with_an_unknown_outcome_is_no_plain_conflict(settle, stub, settles, counts):
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        records = client.project(stub.project.id).records
        change = records.change(records.create(type_slug="deal", data={"stage": "open"}), {"stage": "won"})
        stub.world.faults.plan("records_update", LOST["after"])
        with pytest.raises(OutcomeUnknownError):
            records.apply(change, options=Options(retry=RetryPolicy(max_attempts=1)))

    assert settle([change], settle=settles)[0] == counts
