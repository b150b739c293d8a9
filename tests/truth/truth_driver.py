"""Seeded runs: a write through the real client and the real stub server, and the verdict of the client against the truth.

The truth is the state of the service before and after each delivered request of the run, including requests whose
response was lost.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx
from truth_actions import ACTIONS, TOKENS, Action
from truth_faults import Carrier, Line

from project_platform import (
    AsyncClient,
    ChangeResult,
    Client,
    ConflictError,
    MergeMismatchError,
    OutcomeUnknownError,
    PlatformError,
    Record,
    RetryPolicy,
    SettledWrite,
)
from project_platform.json_values.containment import fences
from project_platform_stub import Stub
from project_platform_stub.operations.support.jsonb import contains

BASE_URL = "http://stub.localhost"


@dataclass
class Verdict:
    """The verdict of a run, and the claims that are wrong with it."""

    seed: int
    kind: str
    applied: str
    row: str | None
    steps: set[str]
    wrong: list[str]
    log: list[str]


class Environment:
    """A stub server, and a client of it without faults."""

    def __init__(self) -> None:
        self.stub = Stub()
        self.carrier = Carrier()
        self.service = self.stub.transport()
        self.clean = Client(BASE_URL, token=self.stub.token(), transport=self.service).project(self.stub.project.id)
        self.options: dict[str, Any] = {"token": self.stub.token(), "transport": self.carrier}


class Run:
    """One action with random faults, from one seed."""

    def __init__(self, environment: Environment, seed: int) -> None:
        self.environment, self.seed = environment, seed
        self.rng = random.Random(seed)
        self.landed: Counter[bytes] = Counter()
        self.unfenced = 0  # applied writes after which a fencing guard still held
        self.max_attempts = self.rng.choice((1, 2, 3, 3, 4))
        (make,) = self.rng.choices(list(ACTIONS), list(ACTIONS.values()))
        self.action: Action = make(self)
        bad = self.rng.choice((0.1, 0.3, 0.5, 0.5, 0.8))
        self.line = Line(self.rng, bad, self._deliver, self.action.others, self.action.state)
        self.line.log.append(f"{self.action.kind}, {self.max_attempts} attempts at most: {self.action.change or ''}")

    def play(self, client: Client) -> Verdict:
        """Carry out the action with a client, and judge its verdict."""
        view = self._view(client)
        try:
            result = self.action.do(view.project(self.environment.stub.project.id))
        except Exception as error:  # whatever it is, it is judged
            if not self._settles(error):
                return self._judge(None, error)
            try:
                result = view.settle(error)
            except Exception as again:
                return self._judge(None, again)
        return self._judge(result, None)

    async def play_async(self, client: AsyncClient) -> Verdict:
        """Same as `play`, but awaited."""
        view = self._view(client)
        try:
            result = await self.action.do(view.project(self.environment.stub.project.id))
        except Exception as error:  # whatever it is, it is judged
            if not self._settles(error):
                return self._judge(None, error)
            try:
                result = await view.settle(error)
            except Exception as again:
                return self._judge(None, again)
        return self._judge(result, None)

    def _view(self, client: Any) -> Any:
        self.environment.carrier.line = self.line
        return client.with_options(retry=RetryPolicy(self.max_attempts, initial_delay=0.0))

    def _settles(self, error: Exception) -> bool:
        """Return whether the caller settles a conflict that followed a lost response."""
        in_doubt = isinstance(error, OutcomeUnknownError) and isinstance(error.__cause__, ConflictError)
        return self.action.settles and in_doubt

    def _deliver(self, request: httpx.Request, writes: bool) -> httpx.Response:
        world = self.environment.stub.world
        before = world.state
        streamed = self.environment.service.handle_request(
            httpx.Request(request.method, request.url, headers=request.headers, content=request.content)
        )
        # Read completely, so that the line can cut it.
        response = httpx.Response(streamed.status_code, headers=streamed.headers, content=streamed.read())
        if writes and world.state is not before:
            after = self.action.state()
            self.landed[request.content] += 1
            body = json.loads(request.content)
            guard = body.get("expectedData") or {}
            if fences(body.get("data", {}), guard) and contains(after["data"], guard):
                self.unfenced += 1
        return response

    def _judge(self, result: Any, error: Exception | None) -> Verdict:
        """Compare the verdict with the truth and with the decision table."""
        by_then = self.landed.total()
        said: Any = error if error is not None else result
        applied = (
            getattr(said, "applied", "unexpected")
            if error or isinstance(result, ChangeResult | Record | SettledWrite)
            else "yes"
        )
        self.line.log.append(f"verdict: {applied}, after {by_then} landings: {error!r}")
        for _ in range(3):
            self.line.pass_time()
        while self.line.late:
            if self.rng.random() < 0.8:
                self.line.arrive(self.line.late[0])
            else:
                self.line.late.pop(0)
        self.action.undo()
        row, expected, steps = (None, None, set[str]()) if self.action.several else self._row()
        checks = {
            f"{error!r} is not an error of the SDK": error is None or isinstance(error, PlatformError),
            "a merge mismatch, and there is none": not isinstance(error, MergeMismatchError),
            "yes, and it was not applied": applied != "yes" or by_then > 0,
            "no, and it was applied": applied != "no" or by_then == 0,
            "no, and it landed later": applied != "no" or not self.landed,
            "a conflict, and it was applied": not isinstance(error, ConflictError) or not self.landed,
            "a conflict, and not no": not isinstance(error, ConflictError) or applied == "no",
            "unknown, and a conflict": not isinstance(error, OutcomeUnknownError) or applied == "unknown",
            "in effect, and the record does not meet the change": applied != "in effect" or self._meets(),
            "the guard fences, and it held after a landing": self.unfenced == 0,
            "sent again after it may have arrived": self.action.sent_again or not self._sent_blindly(),
            "two changes landed": len(self.landed) < 2 or self.action.replayed,
            "landed twice": self._may_repeat() or max(self.landed.values(), default=0) < 2,
            "other bytes were sent again": self.action.several or len(self._sent()) == 1,
            f"the table says {expected}": expected in {None, applied},
            "the reported attempts are not the actual ones": self.action.several
            or len(getattr(said, "attempts", self.line.exchanges)) == len(self.line.exchanges),
        }
        wrong = [claim for claim, true in checks.items() if not true]
        return Verdict(self.seed, self.action.kind, applied, row, steps, wrong, self.line.log)

    def _row(self) -> tuple[str, str, set[str]]:
        """Return the row of the decision table for the run, its verdict, and the rows of earlier attempts."""
        writes = [exchange.end for exchange in self.line.exchanges if not exchange.looks]
        looks = [exchange for exchange in self.line.exchanges if exchange.looks]
        steps = {f"{end}, sent again" for end in writes[:-1] if end in {"not sent", "429"}}
        steps |= {"lost, fences: sent again" for end in writes[:-1] if end == "lost"}
        steps |= {f"{end} of a look: looked again" for end in {look.end for look in looks[:-1]}}
        last, doubt = writes[-1], "lost" in writes[:-1]
        certainty = "doubt" if doubt else "no doubt"
        if last == "409" and doubt and looks:
            row, says = self._seen(looks[-1].end, looks[-1].found)
            return f"doubt, 409, a look: {row}", says, steps
        if last == "2xx":
            return ("doubt, fences: 2xx" if doubt else "no doubt: 2xx"), "yes", steps
        if last == "2xx, cut off":
            return f"{certainty}: 2xx, cut off", "yes", steps
        if last == "lost":
            spent = len(writes) == self.max_attempts
            return ("attempts spent: lost" if spent else "lost, not sent again"), "unknown", steps
        spent = "attempts spent: " if last in {"not sent", "429"} else ""
        last = f"{last}, no look" if last == "409" and doubt else last
        return f"{spent}{certainty}: {last}", "unknown" if doubt else "no", steps

    def _seen(self, end: str, found: Any) -> tuple[str, str]:
        if end != "2xx":
            return end, "unknown"
        if not self._chained():
            return ("meets it", "in effect") if self._meets() else ("does not meet it", "unknown")
        assert self.action.change is not None
        ring = found["data"].get(TOKENS.ring_key)
        if self.action.change.token in ring:
            return "our token is there", "yes"
        if self.action.change.base[TOKENS.key] in ring and ring[-1] != self.action.change.base[TOKENS.key]:
            if self.action.kind.startswith("late"):
                return "another seems to have taken its place", "unknown"
            return "another took its place", "no"
        return "neither token is there", "unknown"

    def _meets(self) -> bool:
        """Return whether the record had the change at the time of the last response."""
        assert self.action.change is not None
        data = self.line.exchanges[-1].found["data"]
        return all(
            (value is None and key not in data) or _same(data.get(key), value)
            for key, value in self.action.change.patch.items()
        )

    def _may_repeat(self) -> bool:
        """Return whether a change may be applied twice: it is as good as once, or others restored the old values."""
        if self.action.replayed:
            return True
        if self.action.kind.startswith("tokens"):  # tokens are never restored
            return False
        bodies = [json.loads(content) for content in self.landed]
        return all(fences(body.get("data", {}), body.get("expectedData") or {}) for body in bodies)

    def _chained(self) -> bool:
        return "tokens" in self.action.kind

    def _sent_blindly(self) -> bool:
        writes = [exchange.end for exchange in self.line.exchanges if not exchange.looks]
        return not self.action.several and any(end in {"lost", "2xx, cut off"} for end in writes[:-1])

    def _sent(self) -> set[bytes]:
        return {exchange.sent for exchange in self.line.exchanges if not exchange.looks}


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


@dataclass
class Tally:
    """The results of many runs.

    Attributes:
        verdicts: Number of verdicts, by kind of action and verdict.
        rows: Number of runs, by row of the decision table and verdict.
        steps: Number of repeated attempts, by row.
        wrong: The wrong verdicts.
    """

    verdicts: Counter[tuple[str, str]] = field(default_factory=Counter)
    rows: Counter[tuple[str, str]] = field(default_factory=Counter)
    steps: Counter[str] = field(default_factory=Counter)
    wrong: list[Verdict] = field(default_factory=list)

    def add(self, verdict: Verdict) -> None:
        """Count one run."""
        self.verdicts[verdict.kind, verdict.applied] += 1
        if verdict.row is not None:
            self.rows[verdict.row, verdict.applied] += 1
        self.steps.update(verdict.steps)
        if verdict.wrong:
            self.wrong.append(verdict)


def drive(seeds: range, how: str = "sync") -> Tally:
    """Return the results of the runs with these seeds, with a sync client or under asyncio or trio."""
    environment, tally = Environment(), Tally()
    if how == "sync":
        with Client(BASE_URL, **environment.options) as client:
            for seed in seeds:
                tally.add(Run(environment, seed).play(client))
        return tally

    async def run() -> None:
        async with AsyncClient(BASE_URL, **environment.options) as client:
            for seed in seeds:
                tally.add(await Run(environment, seed).play_async(client))

    anyio.run(run, backend=how)
    return tally
