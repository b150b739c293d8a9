"""Rows of which it is not known whether they were applied, with `settle=True`: the stub server is the service."""

from __future__ import annotations

import anyio
import pytest

from project_platform import AsyncClient, BulkReport, Client, operations
from project_platform_stub import Stub, faults

LOST = {"after": faults.drop_after_apply(), "before": faults.reset()}


def run(way, stub, path, items, **options):
    """Run rows in one way; return the counts that are not 0 and the errors."""
    client_options = {"token": stub.token(), "project_id": stub.project.id}
    if way == "sync":
        with Client("https://stub.example", transport=stub.transport(), **client_options) as client:
            with client.project().bulk(path, progress=False, **options) as job:
                job.run(items)
    else:

        async def send():
            async with AsyncClient(
                "https://stub.example", transport=stub.async_transport(), **client_options
            ) as client:
                async with client.project().bulk(path, progress=False, **options) as job:
                    await job.run(items)

        anyio.run(send, backend=way)
    report = BulkReport(path)
    return {state: number for state, number in report.counts.items() if number}, [row.error for row in report.unknown()]


@pytest.fixture
def stub():
    return Stub()


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
def test_unknown_rows_of_an_earlier_run_are_settled_as_their_errors_say(way, stub, path, updates, lost):
    """Rows that cannot be sent again are looked at; the others keep what a person has to look at."""
    stub.world.faults.plan("records_update", [LOST[lost]] * 3)
    stub.world.faults.plan("calendar_book", LOST["after"])
    counts, errors = run(way, stub, path, updates)
    assert counts == {"unknown": 4}
    assert [error.rpartition("; ")[2] for error in errors[:3]] == ["run the same input again with settle=True"] * 3
    assert "search the calendar" in errors[3]

    counts, errors = run(way, stub, path, updates, settle=True)

    assert counts == ({"in effect": 3, "unknown": 1} if lost == "after" else {"unknown": 4})
    written = [entry for entry in stub.world.journal if entry.operation == "records_update" and b"won" in entry.body]
    assert len(written) == 3
    if lost == "before":
        assert all("compare error.seen" in error for error in errors[:3])


def test_a_row_that_is_lost_in_a_run_that_settles_is_settled_in_it(way, stub, path, updates):
    """Without another run. One row, since a look of another could meet its fault."""
    stub.world.faults.plan("records_update", LOST["after"])

    assert run(way, stub, path, updates[:1], settle=True)[0] == {"in effect": 1}
