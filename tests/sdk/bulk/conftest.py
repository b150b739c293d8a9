"""Bulk runs against a ledger in process: synchronously, under asyncio and under trio."""

from __future__ import annotations

import asyncio
import contextlib
import dataclasses
import signal
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
import trio

from project_platform import AsyncClient, BulkOutcome, BulkReport, Client, Project

from .ledger import PROJECT, AsyncTransport, Ledger, Transport

URL = "https://platform.example"


@dataclasses.dataclass
class Ran:
    """What a run returned: its report, its outcomes, and the exception that it ended with."""

    report: BulkReport
    outcomes: list[BulkOutcome]
    error: BaseException | None = None

    @property
    def counts(self) -> dict[str, int]:
        """The counts that are not 0."""
        return {state: number for state, number in self.report.counts.items() if number}


@dataclasses.dataclass
class Runner:
    """Runs in one way, on one ledger and one journal."""

    way: str
    ledger: Ledger
    path: Path
    project: str = PROJECT
    client: dict[str, Any] = dataclasses.field(default_factory=dict)

    def __call__(
        self,
        items: Any,
        each: Callable[[BulkOutcome], Any] = lambda outcome: None,
        *,
        workers: Any = None,
        **options: Any,
    ) -> Ran:
        """Stream rows and return what became of them; `each` sees every outcome, and breaks if it returns "break".

        `workers` are the arguments of `stream` for an executor, and `options` those of the run.
        """
        outcomes: list[BulkOutcome] = []
        error = None
        try:
            if self.way == "sync":
                with self.open(**options) as job:
                    for outcome in job.stream(items, **(workers or {})):
                        outcomes.append(outcome)
                        if each(outcome) == "break":
                            break
            else:
                # Not `anyio.run`: under it, anyio also works outside of all tasks.
                start = {"asyncio": lambda main: asyncio.run(main()), "trio": trio.run}[self.way]
                start(lambda: self.asynchronous(items, outcomes, each, workers or {}, options))
        except BaseExceptionGroup as group:
            (error,) = group.exceptions
        except BaseException as raised:
            error = raised
        return Ran(BulkReport(self.path), outcomes, error)

    @contextlib.contextmanager
    def open(self, **options: Any) -> Iterator[Any]:
        """Open a synchronous run, whichever way the others go."""
        with Client(URL, **{"token": "t", "transport": Transport(self.ledger), **self.client}) as client:
            with client.project(self.project).bulk(self.path, **options) as job:
                yield job

    async def asynchronous(self, items: Any, outcomes: Any, each: Any, workers: Any, options: Any) -> None:
        given = {"token": "t", "transport": AsyncTransport(self.ledger), **self.client}
        async with AsyncClient(URL, **given) as client, client.project(self.project).bulk(self.path, **options) as job:
            async for outcome in job.stream(items, **workers):
                outcomes.append(outcome)
                if each(outcome) == "break":
                    break


@pytest.fixture(autouse=True)
def _own_pace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No run of another test shares its pace."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))


@pytest.fixture
def deadline() -> Iterator[None]:
    """Ends a test after 30 seconds whose run does not end."""
    if not hasattr(signal, "setitimer"):
        pytest.skip("needs a timer")

    def expire(number: int, frame: object) -> None:
        raise TimeoutError("the run does not end")

    before = signal.signal(signal.SIGALRM, expire)
    signal.setitimer(signal.ITIMER_REAL, 30, 0.5)
    yield
    signal.setitimer(signal.ITIMER_REAL, 0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture
def ctrl_c() -> Iterator[None]:
    """Lets signals end the program, and Ctrl+C raise KeyboardInterrupt; a program that is started in the background ignores them."""
    handlers: dict[int, Any] = {signal.SIGINT: signal.default_int_handler}
    if hasattr(signal, "SIGHUP"):
        handlers[signal.SIGHUP] = signal.SIG_DFL
    before = {number: signal.signal(number, handler) for number, handler in handlers.items()}
    yield
    for number, handler in before.items():
        signal.signal(number, handler)


@pytest.fixture
def ledger() -> Ledger:
    return Ledger()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "run.journal"


@pytest.fixture
def run(way: str, ledger: Ledger, path: Path) -> Runner:
    return Runner(way, ledger, path)


@pytest.fixture
def sync_project(ledger: Ledger) -> Iterator[Project]:
    """The project of a synchronous client, whichever way the others go."""
    with Client(URL, token="t", transport=Transport(ledger)) as client:
        yield client.project(PROJECT)
