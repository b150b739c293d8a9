"""Each measurement of the benchmarks runs, with a few calls and in this environment. Its values are not judged."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from benchmarks import __main__ as program
from benchmarks import bars, changes, processes, server
from benchmarks.measure import Row, Sample, Task, measure
from benchmarks.server import Address
from benchmarks.sides import NOT_REUSED, RAW, SDK

# Each way to call: over TLS, concurrently, and all pages. The other tasks are calls of the first way.
TASKS = [task for task in program.TASKS if task.tls or task.in_flight or task.everything]


@pytest.fixture(scope="module")
def address() -> Iterator[Address]:
    """The server of the benchmarks."""
    with server.running() as running:
        yield running


def measured(task: Task) -> list[Row]:
    """Return rows as if the task had been measured twice, the SDK in half of the time."""
    return [
        Row(task, side, [Sample(cpu, 1e6 / cpu, cpu, 2 * cpu, 0.0)] * 2) for side, cpu in ((RAW, 100.0), (SDK, 50.0))
    ]


@pytest.mark.parametrize("task", TASKS, ids=lambda task: task.what)
def test_a_task_is_measured_on_both_sides(address, task):
    """Each in a separate process; the table has a row for each."""
    rows = measure(replace(task, calls=2, in_flight=min(task.in_flight, 2), sides=(RAW, SDK)), address, rounds=1)

    assert [row.side for row in rows] == [RAW, SDK]
    for row in rows:
        (sample,) = row.samples
        assert min(sample.cpu, sample.rate, sample.p50) > 0
        assert len(row.cells(rows[0])) == len(program._ROWS)


def test_a_side_that_ends_early_is_reported(address):
    """Such as one whose packages are missing."""
    with pytest.raises(RuntimeError, match="the process of a side ended"):
        measure(Task("one agent", 1, sides=("no such side",)), address, rounds=1)


def test_a_client_of_httpx_that_is_not_reused_makes_fewer_calls(address):
    """Each reads the certificates anew, which takes a hundred times as long as a call."""
    (row,) = measure(Task("one agent", 4, sides=(NOT_REUSED,)), address, rounds=1)

    assert row.median("cpu") > 1_000


@pytest.mark.parametrize("task", program.TASKS, ids=lambda task: task.what)
def test_a_task_has_bars(task):
    """From the values of its rows."""
    found = list(bars.of_rows(measured(task)))

    assert found
    assert {bar.cells()[-2] for bar in found} <= {"met", "MISSED"}
    assert all(len(bar.cells()) == len(program._BARS) for bar in found)


def test_a_process_is_measured(address, monkeypatch):
    """Its start, a second client, its memory for many calls and for a PDF of 32 MiB."""
    monkeypatch.setattr(processes, "_WARM_UP", 20)

    assert processes.start(address.http, {}, rounds=0) == {RAW: [], SDK: []}  # the programs that warm up run once
    seconds, grown = processes.second_client({}, rounds=1)

    assert all(len(seconds[side]) == 1 and min(seconds[side]) > 0 for side in (RAW, SDK))
    assert (grown is not None) is processes.resident_is_known()
    if grown is not None:
        assert set(processes.memory(address.http, "async", {}, calls=20)) == {RAW, SDK}
        assert min(processes.export(address.http, {}, rounds=1)[SDK]) > 32


def test_json_and_changes_are_measured():
    """In this process."""
    raw, own = changes.writing_numbers(1)

    assert min(*raw, *own, *changes.making_a_change(1)) > 0
