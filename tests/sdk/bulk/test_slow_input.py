"""An input that is slower than the service: rows that were read are sent, and ends are recorded, while it waits."""

from __future__ import annotations

import sqlite3
import threading

import anyio
import anyio.to_thread
import pytest

from .rows import applied, creates, wait_until


@pytest.mark.parametrize("way", ["sync"])
def test_rows_are_sent_and_ended_in_the_journal_while_the_input_blocks(run, ledger, path):
    """A kill while the input waits leaves nothing in doubt. The outcomes that are there are yielded before the next row is read."""
    seen, outcomes = [], []

    def rows():
        for number, row in enumerate(creates(20)):
            if number in {1, 3, 19}:
                seen.append((number, wait_until(lambda n=number: applied(path) == n)))
            if number in {2, 4}:
                seen.append((number, len(outcomes) >= number - 1))
            yield row

    ran = run(rows(), outcomes.append)

    assert seen == [(1, True), (2, True), (3, True), (4, True), (19, True)]
    assert ran.counts == {"yes": 20}


@pytest.mark.parametrize("way", ["asyncio", "trio"])
def test_rows_of_an_asynchronous_input_are_ended_in_the_journal_while_it_waits(run, ledger, path):
    seen = []

    async def rows():
        for number, row in enumerate(creates(5)):
            if number == 3:
                seen.append(await anyio.to_thread.run_sync(wait_until, lambda: applied(path) == 3))
            yield row

    assert run(rows()).counts == {"yes": 5}
    assert seen == [True]


def test_an_input_is_read_in_the_thread_of_the_caller(run):
    """A cursor of SQLite, as of other databases, belongs to its thread."""
    db = sqlite3.connect(":memory:")
    calls = creates(3)

    def rows():
        for _ in db.execute("select 1 union select 2 union select 3"):
            assert threading.current_thread() is threading.main_thread()
            yield next(calls)

    assert run(rows()).counts == {"yes": 3}
    db.close()


def failing(rows):
    yield from rows
    raise ConnectionError


@pytest.mark.usefixtures("deadline")
@pytest.mark.parametrize("asynchronous", [False, True])
@pytest.mark.parametrize("way", ["asyncio", "trio"])
@pytest.mark.parametrize("number", [0, 3, 8, 20])
@pytest.mark.parametrize("ends", [iter, failing])
def test_a_run_under_a_plain_event_loop_ends(run, asynchronous, number, ends):
    """A task sends each row, whether there are fewer than the window of 8, as many, or more; the service is faster than the input."""

    async def slowly(rows):
        for row in rows:
            await anyio.sleep(0.005)
            yield row

    rows = ends(creates(number))

    ran = run(slowly(rows) if asynchronous else rows, most=8)

    assert ran.counts == ({"yes": number} if number else {})
    assert type(ran.error) is (ConnectionError if ends is failing else type(None))
