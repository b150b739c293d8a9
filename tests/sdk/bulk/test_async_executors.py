"""Asynchronous bulk runs over an executor: same as synchronous ones, and the event loop goes on."""

from __future__ import annotations

import threading
from concurrent.futures import Future, ThreadPoolExecutor

import anyio
import pytest

from project_platform import AsyncClient, BulkReport

from .conftest import URL
from .ledger import PROJECT
from .rows import creates
from .test_executors import LEDGERS, Inline, Ledger, counted, worker_client

pytestmark = pytest.mark.parametrize("backend", ["asyncio", "trio"])


@pytest.fixture
def ledger() -> Ledger:
    LEDGERS.append(Ledger())
    return LEDGERS[-1]


def client() -> AsyncClient:
    return AsyncClient(URL, token="t")


def test_workers_send_all_rows_of_an_iterable_or_an_asynchronous_one(backend, tmp_path, ledger):
    """Each row is sent once, and the journal has its end."""

    async def rows(numbers):
        for call in creates(numbers):
            await anyio.lowlevel.checkpoint()
            yield call

    async def main():
        async with client() as own, own.project(PROJECT).bulk(tmp_path / "one") as job:
            one = await job.run(creates(200), executor=Inline(), client=worker_client)
        LEDGERS.append(Ledger())
        async with client() as own, own.project(PROJECT).bulk(tmp_path / "two") as job:
            two = await job.run(rows(200), executor=Inline(), client=worker_client)
        return one, two

    one, two = anyio.run(main, backend=backend)

    assert counted(one) == counted(two) == {"yes": 200}
    assert set(ledger.created.values()) == set(LEDGERS[-1].created.values()) == {1}
    assert len(ledger.created) == len(LEDGERS[-1].created) == 200


def test_the_event_loop_does_not_wait_for_the_executor(backend, tmp_path, ledger):
    """Another thread submits tasks and waits for their results."""
    threads = set()

    class Result(Future):
        def result(self, timeout=None):
            threads.add(threading.get_ident())
            return super().result(timeout)

    class Recording(Inline):
        def submit(self, task, /, *args, **kwargs):
            threads.add(threading.get_ident())
            future = Result()
            future.set_result(super().submit(task, *args, **kwargs).result())
            return future

    async def main():
        async with client() as own, own.project(PROJECT).bulk(tmp_path / "journal") as job:
            return [outcome async for outcome in job.stream(creates(20), executor=Recording(), client=worker_client)]

    assert sorted(outcome.row for outcome in anyio.run(main, backend=backend)) == list(range(20))
    assert threads
    assert threading.get_ident() not in threads


def test_a_cancelled_run_waits_for_its_batches_and_leaves_the_rest(backend, tmp_path, ledger):
    """Rows that workers have end; the others are sent by the next run, and none twice. Some of them got to the ended executor."""
    cancelled = threading.Event()
    ledger.before = lambda request: None if len(ledger.created) < 20 else cancelled.wait(60) and None

    async def main():
        async with client() as own, own.project(PROJECT).bulk(tmp_path / "journal", most=8) as job:
            with ThreadPoolExecutor(1) as executor, anyio.CancelScope() as scope:
                async for _ in job.stream(creates(100), executor=executor, client=worker_client):
                    if len(ledger.created) >= 10 and not cancelled.is_set():
                        scope.cancel()
                        cancelled.set()

    anyio.run(main, backend=backend)
    after_first = counted(BulkReport(tmp_path / "journal"))
    anyio.run(main, backend=backend)

    assert set(after_first) <= {"yes", "waiting"}
    assert 10 <= after_first["yes"] < 100
    assert counted(BulkReport(tmp_path / "journal")) == {"yes": 100}
    assert set(ledger.created.values()) == {1}
