"""Runs: a client makes a few calls over a lane, with faults from one seed, and every call is judged at the end."""

from __future__ import annotations

import contextlib
import faulthandler
import inspect
import os
import random
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, Final

import anyio

from project_platform import AsyncClient, Client, Options, RetryPolicy, Timeout

from .actions import Action, draw
from .certificates import contexts
from .judge import Outcome, Verdict, judge
from .server import READ_TIMEOUT, Server
from .transports import Connection, Endpoint, Lane

TIMEOUT: Final = Timeout(connect=0.5, read=READ_TIMEOUT, write=0.5, pool=0.5)
DEADLINE: Final = 3.0
CALM: Final = 60.0  # seconds, for all timeouts of a client that has no faults to meet: a busy machine is none
BAD: Final = (0.15, 0.4, 0.4, 0.7)  # the probability of a fault, which is that of a run
HUNG: Final = 60.0  # seconds, after which a run hangs
LOGGED: Final = 20  # wrong runs whose logs a tally keeps


@dataclass
class Tally:
    """The results of many runs.

    Attributes:
        runs: Number of runs.
        verdicts: Number of calls, by lane, kind of call and verdict.
        faults: Number of faults, by name.
        wrong: Number of wrong verdicts, by lane.
        claims: Number of broken claims, by lane and claim; a wrong verdict breaks one or more.
        logs: What happened in the first wrong runs.
    """

    runs: int = 0
    verdicts: Counter[tuple[Lane, str, str]] = field(default_factory=Counter)
    faults: Counter[str] = field(default_factory=Counter)
    wrong: Counter[Lane] = field(default_factory=Counter)
    claims: Counter[tuple[Lane, str]] = field(default_factory=Counter)
    logs: list[str] = field(default_factory=list)

    def add(self, other: Tally) -> None:
        self.runs += other.runs
        self.verdicts += other.verdicts
        self.faults += other.faults
        self.wrong += other.wrong
        self.claims += other.claims
        self.logs = [*self.logs, *other.logs][:LOGGED]


class Run:
    """The calls of one client, from one seed."""

    def __init__(self, lane: Lane, seed: int, server: Server, endpoint: Endpoint, *, calm: bool) -> None:
        self.lane, self.seed, self.server, self._calm = lane, seed, server, calm
        rng = self._rng = random.Random(f"{lane} {seed}")
        self._at_once = rng.choice((1, 1, 1, 1, 3))
        bad = 0.0 if calm else rng.choice(BAD)
        server.begin(f"{lane} {seed}", bad, at_once=self._at_once, surplus=lane.notices_surplus)
        self.connection: Connection = endpoint.connection(rng, calm=calm)
        self._opens = rng.random() < 0.7
        self._tokens = 0
        self.outcomes: list[Outcome] = []
        self.batches = [
            [draw(rng, server.service) for _ in range(self._at_once)] for _ in range(rng.choice((1, 2, 3, 4)))
        ]

    @property
    def arguments(self) -> dict[str, Any]:
        deadline = CALM if self._calm else DEADLINE
        retry = RetryPolicy(self._rng.choice((1, 2, 3)), deadline=deadline, wait=self._wait)
        return {
            "base_url": self.connection.base_url,
            "token": self._token,
            "timeout": Timeout(CALM) if self._calm else TIMEOUT,
            "retry": retry,
            "transport": self.connection.transport,
            "verify": contexts().client,
            "allow_insecure": True,
        }

    def call(self, client: Any, action: Action) -> Any:
        """Make a call; an asynchronous one is returned as an awaitable."""
        options = Options(headers={"X-Nonce": action.nonce})
        return action.do(client.project(action.nonce), options)

    @contextlib.contextmanager
    def noting(self, action: Action) -> Iterator[Outcome]:
        """Note how a call ends: its error, and the result that is set in the `with` statement."""
        ledger, outcome, began = self.server.ledger, Outcome(action), time.monotonic()
        ledger.log.append(f"{action.kind} {action.nonce}")
        try:
            yield outcome
        except Exception as error:
            outcome.error = error
        outcome.landed, outcome.seconds = ledger.landed[action.nonce], time.monotonic() - began
        outcome.hidden = action.nonce in getattr(self.connection.transport, "hidden", ())
        self.outcomes.append(outcome)
        verdict = f"{outcome.error!r} {getattr(outcome.error, 'applied', '')}"
        ledger.log.append(f"  {action.kind} ended: {verdict} after {outcome.seconds:.2f} s")

    def judged(self) -> list[Verdict]:
        """Wait until everything has ended, and return the verdicts."""
        self.server.finish()
        return [judge(outcome, self.server.ledger) for outcome in self.outcomes]

    def _wait(self, _state: Any) -> float:
        """Wait between two attempts until the server has sent all it has to send; a refusing port may be opened."""
        self.server.settle()
        if self._opens:
            self.connection.listener.open()
        return 0.0

    def _token(self) -> str:
        self._tokens += 1
        return f"token-{self._tokens}"


def play(run: Run) -> None:
    """Make the calls of a run with a synchronous client."""

    def make(action: Action) -> None:
        with run.noting(action) as outcome:
            outcome.result = run.call(client, action)

    with run.connection.variables(), contextlib.closing(run.connection), Client(**run.arguments) as client:
        for batch in run.batches:
            threads = [threading.Thread(target=make, args=(action,)) for action in batch[1:]]
            for thread in threads:
                thread.start()
            make(batch[0])
            for thread in threads:
                thread.join()
            run.server.settle()


async def play_async(run: Run) -> None:
    """Same as `play`, but with an asynchronous client."""

    async def make(action: Action) -> None:
        with run.noting(action) as outcome:
            result = run.call(client, action)
            outcome.result = await result if inspect.isawaitable(result) else result

    with run.connection.variables():
        async with contextlib.aclosing(run.connection), AsyncClient(**run.arguments) as client:
            for batch in run.batches:
                async with anyio.create_task_group() as tasks:
                    for action in batch:
                        tasks.start_soon(make, action)
                run.server.settle()


def drive(
    lane: Lane, seeds: Iterable[int], *, calm: bool = False, make_transport: Callable[[], Any] | None = None
) -> Tally:
    """Return the results of the runs of a lane with these seeds.

    Args:
        lane: The lane.
        seeds: The seed of each run.
        calm: Whether there are no faults.
        make_transport: Returns the transport of each run, in place of that of the lane.
    """
    server, tally = Server(), Tally()
    endpoint = Endpoint(lane, server, make_transport)

    def finish(run: Run, verdicts: list[Verdict]) -> None:
        endpoint.release(run.connection)
        tally.runs += 1
        for verdict in verdicts:
            tally.verdicts[lane, verdict.kind, verdict.applied] += 1
            tally.wrong[lane] += bool(verdict.wrong)
            tally.claims.update((lane, claim) for claim in verdict.wrong)
        if any(verdict.wrong for verdict in verdicts) and len(tally.logs) < LOGGED:
            tally.logs.append(_described(run, verdicts))

    runs = (Run(lane, seed, server, endpoint, calm=calm) for seed in seeds)

    async def drive_async() -> None:
        for run in runs:
            with _watched(run):
                await play_async(run)
                # Event loops close sockets when they are next idle, so the end of a run must not block the loop.
                finish(run, await anyio.to_thread.run_sync(run.judged))

    if lane.how == "sync":
        for run in runs:
            with _watched(run):
                play(run)
                finish(run, run.judged())
    else:
        backend, options = ("asyncio", {"use_uvloop": True}) if lane.how == "uvloop" else (lane.how, {})
        anyio.run(drive_async, backend=backend, backend_options=options)
    server.close()
    tally.faults = server.faults
    return tally


@contextlib.contextmanager
def _watched(run: Run) -> Iterator[None]:
    """End the process with a report if a run hangs: a call that never ends has no verdict."""

    def end() -> None:
        print(f"a run hangs: {_described(run, [])}", file=sys.__stderr__, flush=True)
        faulthandler.dump_traceback(file=sys.__stderr__)
        os._exit(1)

    timer = threading.Timer(HUNG, end)
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()


def _described(run: Run, verdicts: list[Verdict]) -> str:
    """Return what happened in a run, and the command that repeats it."""
    lane = run.lane
    wrong = [f"{verdict.kind}, {verdict.applied}: {'; '.join(verdict.wrong)}" for verdict in verdicts if verdict.wrong]
    command = (
        f"python tests/truth/trials.py --runs 1 --seed {run.seed} --transport {lane.transport!r} --how {lane.how} "
        f"--tls {'only' if lane.tls else 'never'}"
    )
    return "\n".join([f"seed {run.seed}, {lane}", *wrong, *run.server.ledger.log, f"repeat it with: {command}"])
