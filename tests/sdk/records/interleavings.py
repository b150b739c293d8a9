"""Seeded interleavings of several writers that change one record, with lost and late requests.

Each writer runs the real flow, one request at a time; the scheduler decides whose turn it is, and what becomes of each
request: answered, lost before or after it was applied, or delayed. A delayed copy may arrive at any later time, also after
the verdict. The truth is the number of times that the service applied a change.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from typing import Any

from project_platform import (
    Change,
    ChangeOptions,
    ConnectionLostError,
    OperationTokens,
    OutcomeUnknownError,
    PlatformError,
    RetryPolicy,
    SettledWrite,
)
from project_platform.calls.flow import Attempt, Settings
from project_platform.calls.headers import Secret
from project_platform.models import ObjectRecord
from project_platform.records.settle import ChangeResult, apply
from project_platform.settling import settled

from .altering_service import RING, TOKEN, Alteration, AlteringService

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
SETTINGS = Settings("https://platform.example", token=Secret("token"), retry=RetryPolicy(initial_delay=0.0))
LOST = ConnectionLostError("the connection broke")


@dataclass
class Writer:
    """A change that is being applied: its flow, and the request that is next."""

    change: Change
    steps: Any
    command: Attempt
    body: bytes


@dataclass
class Verdict:
    """The verdict of a flow, and the truth at that moment.

    Attributes:
        landed: How often the service had applied the change.
        doubled: Whether it had applied the change twice in a row.
        in_effect: Whether its last response showed the values of the change.
    """

    writer: Writer
    applied: str
    repeated: bool
    landed: int
    doubled: bool
    in_effect: bool


@dataclass
class Trial:
    """Interleavings from one seed.

    Attributes:
        store: Returns the alteration of what the service stores.
        show: Returns the alteration of what the service answers.
        tokens: Whether the writers use operation tokens; otherwise they settle each change that may have been applied.
        started: Whether the record has its first token from the start.
        verdicts: Number of verdicts after a look.
        wrong: Each wrong verdict, with what the service did.
    """

    seed: int
    store: Callable[[random.Random], Alteration]
    show: Callable[[random.Random], Alteration]
    tokens: bool = True
    started: bool = True
    verdicts: Counter[str] = field(default_factory=Counter)
    wrong: list[str] = field(default_factory=list)

    def run(self) -> Trial:
        """Play the interleavings of this seed, and judge every verdict."""
        rng = self.rng = random.Random(self.seed)
        self.keys = OperationTokens(key=TOKEN, ring_key=RING, ring=rng.choice((2, 3, 4)))
        first = self.keys.first() if self.tokens and self.started else {}
        data = {"stage": "Open ", "count": 0, "tags": ["b", "a"], **first}
        self.service = AlteringService(data, self.store(rng), self.show(rng))
        self.late: list[bytes] = []
        snapshots, writers, ended = [self.service.seen], list[Writer](), list[Verdict]()
        for _ in range(rng.randrange(10, 40)):
            if len(writers) < 4 and rng.random() < 0.5:
                snapshots.append(self.service.seen)
                writers.append(self._writer(snapshots[-1] if rng.random() < 0.7 else rng.choice(snapshots)))
            if self.late and rng.random() < 0.2:
                self.service.answer(self.late.pop(rng.randrange(len(self.late))))
            if writers:
                writer = writers.pop(rng.randrange(len(writers)))
                verdict = self._step(writer)
                ended += [verdict] if verdict else []
                writers += [] if verdict else [writer]
        for body in rng.sample(self.late, len(self.late)):
            self.service.answer(body)
        self.wrong += [f"seed {self.seed}: {claim}" for verdict in ended for claim in self._wrong(verdict)]
        return self

    def _writer(self, snapshot: dict[str, Any]) -> Writer:
        rng, number = self.rng, self.rng.randrange(100, 1_000_000_000)
        edits: dict[str, Any] = {"count": number}
        if rng.random() < 0.4:
            edits = rng.choice(
                ({"stage": f" Ausgeführt {number}"}, {"tags": ["b", f"T {number}"]}, {"note": {"a": number}})
            )
        after = {**snapshot, **edits}
        if rng.random() < 0.1 and "stage" in snapshot:
            del after["stage"]
        options = ChangeOptions(
            tokens=self.keys if self.tokens else None, guard=rng.choice(("touched", "touched", None)), merge="shallow"
        )
        change = Change.between(ObjectRecord(id="rec_1", data=snapshot), after, change_options=options)
        steps = apply(change, PROJECT, SETTINGS) if self.tokens else _settling(change)
        command = _attempt(steps, next(steps))
        return Writer(change, steps, command, command.request.body)

    def _step(self, writer: Writer) -> Verdict | None:
        """Carry out one request of a writer; return its verdict, None if it goes on."""
        body = writer.command.request.body
        looks = body != writer.body
        fate = self.rng.choices(("answered", "lost after", "lost before", "late"), (4, 3, 1, 1))[0]
        if looks:
            fate = "answered"
        if fate == "late":
            self.late.append(body)
        outcome = self.service.answer(body) if fate in {"answered", "lost after"} else LOST
        try:
            writer.command = _attempt(writer.steps, writer.steps.send(outcome if fate == "answered" else LOST))
        except StopIteration as end:
            applied, repeated = end.value.applied, end.value.repeated
        except PlatformError as error:
            applied, repeated = error.applied, False
        else:
            return None
        if looks:
            self.verdicts[applied] += 1
        seen, patch = self.service.seen, writer.change.patch
        in_effect = all(seen.get(key) == value for key, value in patch.items())
        return Verdict(
            writer, applied, repeated, self.service.landed[writer.body], writer.body in self.service.doubled, in_effect
        )

    def _wrong(self, verdict: Verdict) -> list[str]:
        """Return the claims of a verdict that are wrong."""
        body, guard = verdict.writer.body, verdict.writer.change.guard or {}
        in_the_end = self.service.landed[body]
        # Without a token that the service preserves, an old value that others restore is a limit.
        unique = len(str(guard.get(TOKEN, ""))) > 10
        once = verdict.applied == "yes" and not verdict.repeated
        wrong = {
            f"yes, and applied {verdict.landed} times": verdict.applied == "yes" and not verdict.landed,
            f"no, and applied {in_the_end} times": verdict.applied == "no" and in_the_end,
            f"once, and applied {in_the_end} times": once and unique and in_the_end > 1,
            "once, and applied twice in a row": once and verdict.doubled,
            "in effect, and the record has other values": verdict.applied == "in effect" and not verdict.in_effect,
        }
        return [claim for claim, is_wrong in wrong.items() if is_wrong]


def _settling(change: Change) -> Generator[Any, Any, ChangeResult | SettledWrite[Any]]:
    """Apply a change, and settle it if its outcome is not known."""
    try:
        return (yield from apply(change, PROJECT, SETTINGS))
    except OutcomeUnknownError as error:
        return (yield from settled(error, SETTINGS))


def _attempt(steps: Any, command: Any) -> Attempt:
    """Return the next request of a flow; it does not wait before it."""
    while not isinstance(command, Attempt):
        command = steps.send(None)
    return command
