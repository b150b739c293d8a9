"""Bulk runs over other processes: no batch is sent by two tasks, whatever the executor does to them."""

from __future__ import annotations

import dataclasses
import itertools
import pickle
import threading
from concurrent.futures import Executor, Future, ProcessPoolExecutor, ThreadPoolExecutor
from pathlib import Path
from typing import Any

import anyio
import anyio.lowlevel
import pytest

from project_platform import AsyncClient, BulkReport, BulkWorkerError, Change, ChangeOptions, Client, UsageError
from project_platform.bulk.claims import Claims
from project_platform.bulk.engine import Engine
from project_platform.bulk.executors import Batch
from project_platform.bulk.journal import End
from project_platform.errors import AuthenticationError, ConnectionLostError, JournalError
from project_platform.models import ObjectRecord

from .conftest import URL
from .ledger import PROJECT, Ledger, Transport, json_response, serving, truth
from .rows import changes, creates, wait_until

TOKEN = "a-token-that-must-not-travel"


class Inline(Executor):
    """Runs each task when it is submitted, by a function that may run it twice, lose it or fail; and has the pickles."""

    def __init__(self, act: Any = lambda task, batch: task(batch)) -> None:
        self.act = act
        self.pickles: list[bytes] = []

    def submit(self, task: Any, /, *args: Any, **kwargs: Any) -> Future[Any]:
        self.pickles.append(pickle.dumps((task, args, kwargs)))
        task, args, kwargs = pickle.loads(self.pickles[-1])
        future: Future[Any] = Future()
        try:
            future.set_result(self.act(task, *args))
        except BaseException as error:
            future.set_exception(error)
        return future


LEDGERS: list[Ledger] = []


def worker_client() -> Client:
    return Client(URL, token=TOKEN, transport=Transport(LEDGERS[-1]))


@pytest.fixture(autouse=True)
def _whole_batches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The engine begins when the input was read, so that the first batches do not depend on how fast that was."""
    begin = Engine._run

    def begin_when_read(engine: Engine) -> None:
        wait_until(lambda: not engine.feed.wants)
        begin(engine)

    monkeypatch.setattr(Engine, "_run", begin_when_read)


@pytest.fixture
def ledger() -> Ledger:
    LEDGERS.append(Ledger())
    return LEDGERS[-1]


@pytest.fixture
def run(run, way):  # pytest 8.4 does not see the parameters of a fixture that is overridden
    """Runs rows with an executor whose workers have the newest ledger."""

    def with_workers(items, executor, *, client=worker_client, claims=None, **options):
        return run(items, workers={"executor": executor, "client": client, "claims": claims}, **options)

    return with_workers


def test_processes_send_all_rows_with_clients_of_their_environment(tmp_path, monkeypatch):
    """A worker needs no argument: base URL, project and facts travel with the batch, the token is in its environment."""
    monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", TOKEN)
    with serving() as url, ProcessPoolExecutor(2) as executor, Client(url) as client:
        with client.project(PROJECT).bulk(tmp_path / "journal") as job:
            report = job.run(creates(300), executor=executor)

        assert report.counts["yes"] == report.total == 300
        assert set(truth(url)["created"].values()) == {1}
        assert len(truth(url)["created"]) == 300


def test_outcomes_of_workers_have_values_and_errors(run, ledger):
    """The outcome of a row is the same as that of a run in one process."""
    ledger.before = lambda request: json_response(422, message="not so") if b'"n":3}' in request.body else None
    ledger.after = lambda request, response: ConnectionLostError("x") if b'"n":4}' in request.body else response

    with ThreadPoolExecutor(1) as executor:
        outcomes = run(creates(5), executor).outcomes

    assert sorted((o.row, o.applied, o.value is not None) for o in outcomes) == [
        (0, "yes", True),
        (1, "yes", True),
        (2, "yes", True),
        (3, "no", False),
        (4, "unknown", False),
    ]
    causes = {o.applied: type(o.cause).__name__ for o in outcomes}
    assert (causes["no"], causes["unknown"]) == ("UnprocessableEntityError", "UnknownAfterConnectionLostError")


def test_no_token_travels(run, tmp_path, ledger):
    """Neither the tasks nor what they write beside their claims has the token."""
    executor = Inline()

    assert run(creates(200), executor).counts == {"yes": 200}

    written = b"".join(file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())
    assert len(executor.pickles) >= 4
    assert TOKEN.encode() not in b"".join(executor.pickles) + written


@pytest.mark.parametrize("at_once", [False, True])
def test_a_task_that_runs_twice_sends_its_rows_once(run, tmp_path, ledger, at_once):
    """The run that does not own the batch returns the outcomes of the other; the coordinator finds the rest at the end."""
    ledger.plan.latency = 0.02

    def twice(task, batch):
        first = threading.Thread(target=task, args=(batch,))
        first.start()
        claim = tmp_path / "run.journal.claims" / batch.name / "claim"
        assert wait_until(claim.exists if at_once else lambda: not first.is_alive())
        result = task(batch)
        first.join()
        return result

    assert run(creates(100), Inline(twice)).counts == {"yes": 100}
    assert set(ledger.created.values()) == {1}


class WorkerDiedError(Exception):
    """The engine lost a worker."""


def die_within(rows: int) -> Any:
    """Return what an executor does whose worker dies when it has sent some rows of the first batch, and written fewer outcomes."""

    def act(task, batch):
        if not batch.name.endswith("/0000001"):
            return task(batch)
        task(dataclasses.replace(batch, rows=batch.rows[:rows]))
        written, *later = sorted((Path(batch.claims) / batch.name).glob("*.jsonl"))  # several, if the worker was slow
        lines = [line for file in (written, *later) for line in file.read_bytes().splitlines(keepends=True)]
        for file in later:
            file.unlink()
        written.write_bytes(b"".join(lines[: rows // 2]) + b'{"row":')  # killed while it wrote
        raise WorkerDiedError

    return act


def lose_every_second(task: Any, batch: Batch) -> Any:
    if int(batch.name[-1]) % 2:
        return task(batch)
    Claims(batch.claims).claim(batch.name)
    raise WorkerDiedError


# The number of rows, what the executor does, the options of the run, and the counts of its rows.
DEATHS: dict[str, tuple[int, Any, dict[str, Any], dict[str, int]]] = {
    "a row that may have been applied is not sent again": (150, die_within(20), {}, {"yes": 96, "unknown": 54}),
    "lost batches do not fill the window": (40, lose_every_second, {"most": 4}, {"yes": 20, "unknown": 20}),
    "a guard that fences makes it harmless": (100, die_within(20), {"settle": True}, {"yes": 90, "in effect": 10}),
}


@pytest.mark.usefixtures("deadline")
@pytest.mark.parametrize("name", DEATHS)
def test_rows_of_a_worker_that_died_end_as_it_wrote_or_as_is_harmless(run, ledger, name):
    number, act, options, counts = DEATHS[name]
    ran = run(changes(ledger, number) if options.get("settle") else creates(number), Inline(act), **options)

    assert ran.counts == counts
    assert {*ledger.created.values(), *ledger.updated.values()} == {1}
    assert all("was lost" in row.error for row in ran.report.unknown())


def test_a_change_that_waits_for_a_lost_change_of_its_record_is_sent(run, ledger):
    """A change that does not fence is unknown; what waits for it does not wait for ever."""
    ledger.create("seed", {"typeSlug": "deal", "data": {"stage": "open"}})
    before = ObjectRecord(id="rec_0", data={"stage": "open"})
    lost = Change.between(before, {"stage": "open", "note": "x"}, change_options=ChangeOptions(guard=None))
    after = Change.between(before, {"stage": "won"})

    ran = run([lost, after], Inline(die_within(0)))

    assert [row.applied for row in ran.report.rows()] == ["unknown", "yes"]


def test_a_refused_batch_returns_its_other_rows(run, ledger):
    """After a 429 a worker sends no more of its batch; the coordinator's limiter waits for all."""
    arrivals = itertools.count()
    ledger.before = lambda request: json_response(429, {"retry-after": "0.05"}) if next(arrivals) == 40 else None
    executor = Inline()

    assert run(creates(200), executor).counts == {"yes": 200}
    assert len(executor.pickles) < 60, "with a rate, a batch still has more than a row"
    assert set(ledger.created.values()) == {1}


@pytest.mark.usefixtures("deadline")
def test_a_worker_that_was_lost_and_is_refused_ends_the_run(run, tmp_path, ledger):
    """It was alive. What it has not written yet is read by the next run, which sends what it gave back."""
    claims = []

    def lose_the_first(task, batch):
        if not claims:
            claims.append(Claims(batch.claims).claim(batch.name))
            raise WorkerDiedError
        claims[0].write([(0, End("stop", note="AuthenticationError: HTTP 401"))])
        return task(batch)

    ran = run(creates(100), Inline(lose_the_first))
    assert isinstance(ran.error, BulkWorkerError)
    assert "401" in str(ran.error)
    assert ran.counts == {"waiting": 1, "in doubt": 63, "yes": 36}

    claims[0].write([(1, End("yes"))])
    assert run(creates(100), Inline()).counts == {"unknown": 62, "yes": 38}


def wrong_client() -> Client:
    return Client("https://other.example", token="t")


def no_client() -> Client:
    raise RuntimeError(TOKEN)


def elsewhere(task: Any, batch: Batch) -> Any:
    """Run a task on a machine that has a folder of the same name: two workers would own a batch."""
    other = Path(batch.claims).with_name("other")
    other.mkdir(exist_ok=True)
    return task(dataclasses.replace(batch, claims=str(other)))


def fail(task: Any, batch: Batch) -> Any:
    raise WorkerDiedError("no more workers")


# What an executor does and the client of its workers, and the error of the run.
ENDS: dict[str, tuple[Inline, Any, type[Exception], str]] = {
    "a token that is refused": (Inline(), worker_client, AuthenticationError, "401"),
    "the client of another service": (Inline(), wrong_client, BulkWorkerError, "other.example"),
    "no client": (Inline(), no_client, BulkWorkerError, "RuntimeError"),
    "other claims": (Inline(elsewhere), worker_client, BulkWorkerError, "does not see the claims"),
    "an executor that fails for good": (Inline(fail), worker_client, BulkWorkerError, "no more workers"),
}


@pytest.mark.parametrize("name", ENDS)
def test_workers_that_cannot_send_end_the_run(run, tmp_path, ledger, name):
    """No row fails, the error does not show the secret of a user's function, and the next run sends the rows."""
    executor, client, error, text = ENDS[name]
    ledger.before = lambda request: json_response(401)

    ran = run(creates(10), executor, client=client)

    assert type(ran.error) is error
    assert text in str(ran.error)
    assert TOKEN not in str(ran.error)
    assert not ledger.created
    assert ran.counts == {"waiting": 10}
    ledger.before = lambda request: None
    assert run(creates(10), Inline()).counts == {"yes": 10}


@pytest.mark.parametrize(
    ("executor", "claims", "error", "message"),
    [
        (None, "claims", UsageError, "executor"),  # it would have no effect
        (
            Inline(),
            "s3://key:secret@bucket/x",
            UsageError,
            "credential",
        ),  # it travels to the workers, and is in the journal
        (Inline(), f"{__file__}/claims", JournalError, "the claims in"),
    ],
)
def test_claims_that_cannot_be_used_end_the_run(run, executor, claims, error, message):
    """Nothing is sent without a claim."""
    ran = run(creates(10) if executor else [], executor, client=None, claims=claims)

    assert type(ran.error) is error
    assert message in str(ran.error)
    assert not LEDGERS[-1].arrived


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_cancelled_run_waits_for_its_batches_and_leaves_the_rest(backend, tmp_path, ledger):
    """Rows that workers have end; the others are sent by the next run, and none twice. Some of them got to the ended executor."""
    cancelled = threading.Event()
    ledger.before = lambda request: None if len(ledger.created) < 20 else cancelled.wait(60) and None

    async def main():
        async with AsyncClient(URL, token="t") as own, own.project(PROJECT).bulk(tmp_path / "journal", most=8) as job:
            with ThreadPoolExecutor(1) as executor, anyio.CancelScope() as scope:
                async for _ in job.stream(creates(100), executor=executor, client=worker_client):
                    if len(ledger.created) >= 10 and not cancelled.is_set():
                        scope.cancel()
                        cancelled.set()

    anyio.run(main, backend=backend)
    counts = BulkReport(tmp_path / "journal").counts
    anyio.run(main, backend=backend)

    assert 10 <= counts["yes"] < 100
    assert sum(counts.values()) == counts["yes"] + counts["waiting"]
    assert BulkReport(tmp_path / "journal").counts["yes"] == 100
    assert set(ledger.created.values()) == {1}
