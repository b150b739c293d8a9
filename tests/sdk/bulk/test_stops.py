"""How a run ends before its input does."""

from __future__ import annotations

import itertools
import logging
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from project_platform import (
    AuthenticationError,
    BulkStoppedError,
    Change,
    PermissionDeniedError,
    UsageError,
)
from project_platform.models import ObjectRecord

from .ledger import answer, serving, truth
from .rows import changes, creates

HERE = Path(__file__).parent


def test_a_break_sends_nothing_more_and_lets_rows_in_flight_end(run, ledger):
    """Nothing is in doubt after it, and the rest is sent by the next run."""
    ledger.plan.latency = 0.002

    ran = run(creates(500), lambda outcome: "break" if outcome.row >= 20 else None)

    assert ran.counts["yes"] == len(ledger.created)
    assert set(ran.counts) <= {"yes", "waiting"}
    assert len(ledger.created) < 200
    assert run(creates(500)).counts == {"yes": 500}


def test_an_exception_of_the_consumer_goes_on_after_rows_in_flight_have_ended(run, ledger):
    """The journal is in order when the exception leaves the `with` statement."""

    def consume(outcome):
        if outcome.row >= 5:
            raise LookupError("of the consumer")

    ledger.plan.latency = 0.002

    ran = run(creates(300), consume)

    assert isinstance(ran.error, LookupError)
    assert ran.counts["yes"] == len(ledger.created)
    assert set(ran.counts) <= {"yes", "waiting"}


def test_an_exception_of_the_input_is_raised_after_the_rows_before_it_ended(run, ledger):
    """They are not its fault."""

    def rows():
        yield from creates(30)
        raise ValueError("line 31 is no JSON")

    ran = run(rows())

    assert isinstance(ran.error, ValueError)
    assert ran.counts == {"yes": 30}
    assert len(ran.outcomes) == 30


@pytest.mark.parametrize("after", [0, 40])
def test_a_token_that_is_refused_stops_the_run_and_fails_no_row(run, ledger, after):
    """Rows that were refused for it wait, and the next run sends them."""
    ledger.before = lambda request: answer(401) if len(ledger.created) >= after else None

    ran = run(creates(200))

    assert isinstance(ran.error, AuthenticationError)
    assert set(ran.counts) <= {"yes", "waiting"}
    assert len(ledger.log) < after + 40
    ledger.before = lambda request: None
    assert run(creates(200)).counts == {"yes": 200}


def test_a_permission_that_is_missing_stops_the_run_at_its_first_rows(run, ledger):
    """No row can succeed."""
    ledger.before = lambda request: answer(403)

    ran = run(creates(200))

    assert isinstance(ran.error, PermissionDeniedError)
    assert set(ran.counts) == {"waiting"}
    assert len(ledger.log) < 40


def test_a_403_after_rows_that_succeeded_is_that_of_its_row(run, ledger):
    """The permission may depend on the row."""
    ledger.before = lambda request: answer(403) if b'"crm-150"' in request.body else None

    assert run(creates(200)).counts == {"yes": 199, "no": 1}


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


def test_a_run_whose_first_rows_all_fail_is_stopped(run, ledger):
    """Probably the column mapping is wrong, and a million rows need not show it."""
    ledger.before = lambda request: answer(400)

    ran = run(creates(500), max_failures=30)

    assert isinstance(ran.error, BulkStoppedError)
    assert ran.error.failed == 30
    assert 30 <= ran.counts["no"] < 100
    assert set(ran.counts) == {"no"}


def test_failures_after_a_success_do_not_stop_a_run(run, ledger):
    """Then the rows differ, and the report lists those that failed."""
    ledger.before = lambda request: None if b'"crm-0"' in request.body else answer(400)

    assert run(creates(200), max_failures=20, most=1).counts == {"yes": 1, "no": 199}


@pytest.mark.parametrize("row", [17, "a row", ("key", 17)])
def test_a_row_that_is_no_call_ends_the_run_with_its_number(run, ledger, row):
    """The rows before it are sent."""
    ran = run([*creates(3), row])

    assert isinstance(ran.error, UsageError)
    assert "row 3 is of type" in str(ran.error)
    assert ran.counts == {"yes": 3}


def test_a_stream_that_is_not_read_warns(run):
    """It sends nothing, which looks like success."""
    with pytest.warns(UserWarning, match="nothing was sent"), run.open() as job:
        job.stream(creates(3))


INTERRUPTED = """
import signal, sys
signal.signal(signal.SIGINT, signal.default_int_handler)  # a program that is started in the background ignores it
sys.path.insert(0, {tests!r})
from bulk.rows import creates, PROJECT
from project_platform import Client, BulkReport

def rows():
    for number, row in enumerate(creates(100_000)):
        if number == {go}:
            print("go", flush=True)
        yield row

job = Client({url!r}, token="t").project(PROJECT).bulk({path!r}, progress=False)
try:
    with job:
        job.run(rows())
except KeyboardInterrupt:
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the last one that the test sends may be late
    print(BulkReport({path!r}).counts["in doubt"])
"""


@pytest.mark.parametrize(("signals", "latency"), [(1, 0.05), (3, 20.0)], ids=["once", "again"])
def test_ctrl_c_lets_rows_in_flight_end_and_pressed_again_leaves_them_in_doubt(path, signals, latency):
    """KeyboardInterrupt leaves the `with` statement when the journal is in order."""
    with serving(latency=latency) as url:
        script = INTERRUPTED.format(tests=str(HERE.parent), url=url, path=str(path), go=100 if signals == 1 else 7)
        with subprocess.Popen([sys.executable, "-c", script], stdout=subprocess.PIPE, text=True) as child:
            child.stdout.readline()
            began = time.monotonic()
            for _ in range(signals):
                time.sleep(0.3)
                child.send_signal(signal.SIGINT)
            printed = int(child.stdout.read())
            assert child.wait() == 0

        assert time.monotonic() - began < 10
        assert printed == 0 if signals == 1 else printed > 0
        assert len(truth(url)["created"]) < 50_000


def test_rows_are_read_only_as_fast_as_they_are_sent(run, ledger):
    """An input may be larger than the memory."""
    read = []

    def rows():
        for row in creates(2000):
            read.append(row)
            yield row

    ledger.plan.latency = 0.01
    run(rows(), lambda outcome: "break" if outcome.row >= 10 else None, most=16)

    assert len(read) < 100


def test_progress_is_logged_where_there_is_no_terminal(run, caplog):
    """The last line has the counts."""
    if run.way != "sync":
        pytest.skip("the progress is the same for all")
    with caplog.at_level(logging.INFO, "project_platform.bulk"), run.open() as job:
        job.run(creates(5))

    assert "5 rows: 5 yes" in caplog.messages[-1]


def test_two_changes_of_one_record_keep_their_order(run, ledger):
    """Two of them in flight would refuse each other."""
    changes(ledger, 1)
    steps = [{"stage": "open"}, *({"stage": f"step {i}"} for i in range(20))]
    rows = [Change.between(ObjectRecord(id="rec_0", data=a), b) for a, b in itertools.pairwise(steps)]
    ledger.plan.latency = 0.001

    ran = run(rows)

    assert [outcome.row for outcome in ran.outcomes] == list(range(20))
    assert ran.counts == {"yes": 20}
