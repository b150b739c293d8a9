"""How a run ends before its input does."""

from __future__ import annotations

import dataclasses
import itertools
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from project_platform import (
    AsyncClient,
    AuthenticationError,
    BulkReport,
    BulkStoppedError,
    Change,
    NotSentError,
    PermissionDeniedError,
    UsageError,
    operations,
)
from project_platform.bulk.engine import Engine
from project_platform.bulk.journal import Journal
from project_platform.models import ObjectRecord

from .conftest import URL, Runner
from .ledger import PROJECT, AsyncTransport, json_response, serving, truth
from .rows import changes, creates, first, wait_until

HERE = Path(__file__).parent


@dataclasses.dataclass
class Stop:
    """What the service answers after some creates, and how a run of 500 rows ends: its error, and the states of its rows."""

    status: int
    error: type[Exception]
    states: set[str]
    after: int = 0
    max_failures: int = 100


STOPS = {
    "a token that is refused fails no row": Stop(401, AuthenticationError, {"waiting"}),
    "a token that is refused later": Stop(401, AuthenticationError, {"waiting"}, after=40),
    "a permission that is missing": Stop(403, PermissionDeniedError, {"waiting"}),
    "first rows that all fail: the column mapping may be wrong": Stop(400, BulkStoppedError, {"no"}, max_failures=30),
    "first rows without a response": Stop(500, BulkStoppedError, {"unknown"}, max_failures=5),
    "a 2xx that cannot be read, as of another server": Stop(201, BulkStoppedError, {"yes"}, max_failures=5),
    "a type that was deleted": Stop(404, BulkStoppedError, {"no"}, after=50, max_failures=20),
    "a permission that was withdrawn": Stop(403, BulkStoppedError, {"no"}, after=50, max_failures=20),
    "a rule that changed": Stop(400, BulkStoppedError, {"no"}, after=50, max_failures=20),
}


@pytest.mark.parametrize("name", STOPS)
def test_a_service_that_refuses_every_row_stops_a_run(run, ledger, name):
    """A million rows need not show it. The rows that remain are sent by the next run."""
    stop = STOPS[name]
    ledger.before = lambda request: None if len(ledger.created) < stop.after else json_response(stop.status)

    ran = run(creates(500), max_failures=stop.max_failures)

    assert type(ran.error) is stop.error
    assert set(ran.counts) - {"yes"} == stop.states - {"yes"}
    assert len(ledger.log) < stop.after + stop.max_failures + 40
    if stop.error is BulkStoppedError:
        assert ran.error.failed == stop.max_failures
        assert f"the {'last' if stop.after else 'first'} {stop.max_failures} rows" in str(ran.error)
    ledger.before = lambda request: None
    assert run(creates(500)).counts["yes"] == 500 - ran.counts.get("no", 0) - ran.counts.get("unknown", 0)


def test_a_token_source_that_fails_stops_the_run_and_leaves_no_doubt(run, ledger):
    """Nothing was sent of the rows that wait for the token."""

    class Source:
        def token(self, *arguments):
            raise LookupError("no vault")

    run.client = {"token": Source()}

    ran = run(creates(50))

    assert isinstance(ran.error, LookupError)
    assert set(ran.counts) == {"waiting"}
    assert ledger.log == []


def test_an_end_that_is_no_exception_teaches_the_limiter_nothing(run, ledger):
    """A cancellation says nothing about the service, and the pause after it would be that of all runs."""

    def interrupt(request):
        raise SystemExit

    ledger.before = interrupt

    with run.open(max_failures=None) as job:
        job.run(creates(20))
        assert job.report().counts["unknown"] == 20
        assert not job._limiter.waits_for_answers


def test_refusals_between_successes_do_not_stop_a_run(run, ledger):
    """The rows differ, and the report lists those that failed."""
    ledger.before = lambda request: json_response(400) if len(ledger.log) % 2 else None

    assert run(creates(200), max_failures=20, most=1).counts == {"yes": 100, "no": 100}


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_second_task_that_reads_a_stream_is_refused(path, ledger, backend):
    """Two of them would wait for each other's events."""
    ledger.plan.latency = 0.05

    async def main():
        async with AsyncClient(URL, token="t", transport=AsyncTransport(ledger)) as client:
            async with client.project(PROJECT).bulk(path) as job, anyio.create_task_group() as group:
                stream = job.stream(creates(50))
                group.start_soon(anext, stream)
                await anyio.sleep(0.01)
                with pytest.raises(UsageError, match="another task reads this stream"):
                    await anext(stream)

    anyio.run(main, backend=backend)


def program(url, path, lines):
    """Return the command of a program that has the address of a service and the path of a journal."""
    head = f"""
import os, signal, sys, time
sys.path.insert(0, {str(HERE.parent)!r})
from bulk.rows import PROJECT, creates
from project_platform import AsyncClient, BulkReport, Client
signal.signal(signal.SIGINT, signal.default_int_handler)  # a program that is started in the background ignores it
url, path = {url!r}, {str(path)!r}
"""
    return [sys.executable, "-c", head + lines]


FORKED = """
with Client(url, token="t").project(PROJECT).bulk(path, progress=False) as job:
    for outcome in job.stream(creates(40)):
        if outcome.row == 3:
            job._engine._turn.acquire()  # as the engine may at any time
            child = os.fork()
            if not child:
                {then}
            job._engine._turn.release()
print(child, flush=True)
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_forked_child_leaves_the_run_to_its_parent(path):
    """It has none of the threads that send, so it would wait for ever for the rows in flight."""
    lines = FORKED.format(then="sys.exit(7)") + "print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]))"
    with serving(latency=0.02) as url:
        command = program(url, path, lines)
        ended = subprocess.run(command, check=False, capture_output=True, text=True, timeout=20)

    assert ended.stdout.split()[1:] == ["7"], ended.stderr
    assert BulkReport(path).counts["yes"] == 40


@pytest.mark.skipif(not hasattr(os, "fork"), reason="needs fork")
def test_a_child_that_outlives_a_killed_run_does_not_keep_its_journal(path):
    """As the workers of a `ProcessPoolExecutor` do, which wait for tasks for ever."""
    lines = FORKED.format(then="os.close(1), time.sleep(600)") + "os.kill(os.getpid(), signal.SIGKILL)"
    with serving() as url:
        ended = subprocess.run(program(url, path, lines), check=False, stdout=subprocess.PIPE, text=True, timeout=20)
    try:
        Journal(path, f"{url} {PROJECT}").close()
    finally:
        os.kill(int(ended.stdout), signal.SIGKILL)


@pytest.mark.parametrize("row", [17, "a row", ("key", 17)])
def test_a_row_that_is_no_call_ends_the_run_with_its_number(run, ledger, row):
    ran = run([*creates(3), row])

    assert isinstance(ran.error, UsageError)
    assert "row 3 is of type" in str(ran.error)
    assert ran.counts == {"yes": 3}


@pytest.mark.usefixtures("deadline")
def test_a_second_ctrl_c_closes_the_journal_after_the_turn_that_is_written(path, ledger, monkeypatch):
    """The engine has a thread of its own; a database that is closed while it is used ends the process."""
    order, written, closing = [], threading.Event(), threading.Event()
    commit, close = Journal.commit, Journal.close

    def write(journal, turn):
        written.set()
        closing.wait(1)  # in vain
        commit(journal, turn)
        order.append("written")

    def closed(journal, **options):
        closing.set()
        order.append("closed")
        close(journal, **options)

    def rows():
        yield from creates(3)
        written.wait()
        raise KeyboardInterrupt

    def interrupted(engine):
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "commit", write)
    monkeypatch.setattr(Journal, "close", closed)
    monkeypatch.setattr(Engine, "join", interrupted)

    with pytest.raises(KeyboardInterrupt), Runner("sync", ledger, path).open() as job:
        job.run(rows())

    assert order[0] == "written"
    assert order.count("closed") == 1


INTERRUPTED = """
from project_platform.bulk.engine import Engine

def rows():
    for number, row in enumerate(creates(100_000)):
        if number == {go}:
            print("go", flush=True)
        yield row

def stop(engine, stop=Engine.stop):
    stop(engine)
    print("stopping", flush=True)

Engine.stop = stop
job = Client(url, token="t").project(PROJECT).bulk(path, progress=False)
try:
    with job:
        job.run(rows())
except KeyboardInterrupt:
    print(BulkReport(path).counts["in doubt"])
"""
TERMINATED = """
import anyio

async def main():
    async with AsyncClient(url, token="t") as client:
        async with client.project(PROJECT).bulk(path, progress=False) as job:
            async for outcome in job.stream(creates(100_000)):
                if outcome.row == 50:
                    print("go", flush=True)

anyio.run(main, backend={backend!r})
"""


def stopped(url, path, lines, *signals):
    """Run a program, send a signal at each line that it prints, and return its exit status and the last thing that it prints."""
    with subprocess.Popen(program(url, path, lines), stdout=subprocess.PIPE, text=True) as child:
        try:
            assert wait_until(lambda: truth(url)["arrived"])
            for number in signals:
                child.stdout.readline()
                child.send_signal(number)
            last = child.communicate(timeout=60)[0].split()[-1:]
        finally:
            child.kill()
    return child.returncode, *last


@pytest.mark.parametrize(("signals", "latency"), [(1, 0.05), (2, 600.0)], ids=["once", "again"])
def test_ctrl_c_lets_rows_in_flight_end_and_pressed_again_leaves_them_in_doubt(path, signals, latency):
    """KeyboardInterrupt leaves the `with` statement when the journal is in order; the second one does not wait for responses."""
    lines = INTERRUPTED.format(go=100 if signals == 1 else 7)  # the first window has 8 rows
    with serving(latency=latency) as url:
        status, in_doubt = stopped(url, path, lines, *[signal.SIGINT] * signals)

        assert (status, in_doubt == "0") == (0, signals == 1)
        assert len(truth(url)["created"]) < 50_000


@pytest.mark.skipif(os.name == "nt", reason="needs SIGTERM")
@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_sigterm_ends_an_asynchronous_run_and_leaves_no_doubt(path, backend):
    """The rows in flight end, and the program with the status of shells. `test_cli.py` tests the command."""
    with serving(latency=0.05) as url:
        assert stopped(url, path, TERMINATED.format(backend=backend), signal.SIGTERM) == (143,)
        created = truth(url)["created"]

    counts = BulkReport(path).counts
    assert counts["in doubt"] == counts["unknown"] == 0
    assert counts["yes"] == len(created)


def test_a_handler_of_sigterm_of_the_program_is_kept(run):
    """The program decides what its signals mean."""
    before = signal.signal(signal.SIGTERM, signal.SIG_IGN)
    try:
        with run.open():
            assert signal.getsignal(signal.SIGTERM) is signal.SIG_IGN
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        with run.open():
            assert callable(signal.getsignal(signal.SIGTERM))
        assert signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    finally:
        signal.signal(signal.SIGTERM, before)


def test_rows_are_read_only_as_fast_as_they_are_sent_and_not_after_a_break(run, ledger):
    """An input may be larger than the memory. After a break, nothing is in doubt, and the rest is sent by the next run.

    Rows of an asynchronous one that arrive while others are in flight are sent at once.
    """
    ledger.plan.latency = 0.005
    read = []

    def rows():
        for row in creates(300):
            read.append(row)
            yield row

    async def arriving():
        for row in rows():
            await anyio.lowlevel.checkpoint()
            yield row

    given = rows if run.way == "sync" else arriving

    ran = run(given(), lambda outcome: "break" if outcome.row >= 20 else None)

    assert ran.counts["yes"] == len(ledger.created)
    assert set(ran.counts) <= {"yes", "waiting"}
    assert len(read) < 150
    assert run(given()).counts == {"yes": 300}


def test_the_reason_to_wait_is_shown_and_logged_once(path, ledger, caplog, capsys):
    """A service that is away fails no row, so nothing else shows it."""
    ledger.before = first(6, NotSentError("nothing listens"))

    for shown in (None, True):
        run = Runner("sync", ledger, path)
        with run.open(progress=shown, most=1) as job:
            job.run(creates(30))
        ledger.before = first(6, NotSentError("nothing listens"))
        path = path.with_suffix(".second")

    reason = "waits for the service: NotSentError: "
    assert caplog.text.count(f"the run {reason}") == 1
    assert reason in capsys.readouterr().err


@pytest.mark.parametrize("kind", ["changes", "calls"])
def test_updates_of_one_record_keep_their_order(run, ledger, kind):
    """The last one counts, and two changes in flight would refuse each other."""
    changes(ledger, 1)
    steps = [{"stage": "open"}, *({"stage": f"step {i}"} for i in range(20))]
    rows: list[Any] = [Change.between(ObjectRecord(id="rec_0", data=a), b) for a, b in itertools.pairwise(steps)]
    if kind == "calls":
        rows = [operations.records_update(PROJECT, "rec_0", data=data) for data in steps[1:]]
    ledger.plan.latency = 0.001

    ran = run(rows)

    assert [outcome.row for outcome in ran.outcomes] == list(range(20))
    assert ran.counts == {"yes": 20}
    assert ledger.records["rec_0"]["data"]["stage"] == "step 19"
