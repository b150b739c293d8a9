"""One seeded run: a write through the real client and the real stub server, and what the client says of it compared with the truth.

The truth is what the service's own state did: every request of ours that was delivered is watched, whether anybody
waited for its answer or not.
"""

from __future__ import annotations

import inspect
import json
import random
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import anyio
import httpx
from truth_faults import Carrier, Line

from project_platform import (
    DELETE,
    UNSET,
    AsyncClient,
    Change,
    ChangeResult,
    Client,
    ConflictError,
    OperationTokens,
    OutcomeUnknownError,
    PlatformError,
    RetryPolicy,
    StalePreconditionError,
)
from project_platform.models import ObjectRecord
from project_platform_stub import Stub
from project_platform_stub.containment import contains

BASE_URL = "http://stub.localhost"
TOKENS = OperationTokens(ring=4)
BASE = {"x": 0, "y": 0, "list": [1], "object": {"a": 1}, "status": "open"}
VALUES: dict[str, tuple[Any, ...]] = {
    "x": (0, 1, 2),
    "y": (0, 1),
    "list": ([1], [1, 2], [1, 3], [2]),
    "object": ({"a": 1}, {"a": 1, "b": 2}, {"a": 9}, {"a": 1, "c": 3}),
    "status": ("open", "won"),
    "note": ("new", "other"),
}
SLOT = "2031-03-03T09:00:00Z"
LATER_SLOT = "2031-03-03T15:00:00Z"


@dataclass
class Deed:
    """What the client is asked to do.

    Attributes:
        kind: What it is called in the counts.
        do: Does it, with a project of the client; it may have to be awaited.
        state: Returns what it writes to; another object after each write.
        others: What others may do in between.
        undo: Leaves the world as it was.
        change: The change, if it is one.
        sent_again: Whether it may be sent again after a lost answer.
        looks: Whether the client may look what became of it.
        several: Whether it is one deed made of several changes.
    """

    kind: str
    do: Callable[[Any], Any]
    state: Callable[[], Any]
    others: Callable[[], None]
    undo: Callable[[], object]
    change: Change | None = None
    sent_again: bool = False
    looks: bool = False
    several: bool = False

    @property
    def fences(self) -> bool:
        """Whether a second delivery is kept out by the guard."""
        return self.change is not None and self.change.fences


@dataclass
class Verdict:
    """What was said of a deed, and what is wrong with that."""

    seed: int
    kind: str
    applied: str
    row: str | None
    steps: set[str]
    wrong: list[str]
    story: list[str]


class Ground:
    """A stub server, and a client of it that no fault ever meets."""

    def __init__(self) -> None:
        self.stub = Stub()
        self.carrier = Carrier()
        self.service = self.stub.transport()
        self.clean = Client(BASE_URL, token=self.stub.token(), transport=self.service).project(self.stub.project.id)
        self.options: dict[str, Any] = {"token": self.stub.token(), "transport": self.carrier}


class Run:
    """One deed in one weather, from one seed."""

    def __init__(self, ground: Ground, seed: int) -> None:
        self.ground, self.seed = ground, seed
        self.dice = random.Random(seed)
        self.landings = 0
        self.reopened = 0  # landings of ours that the guard does not keep out afterwards
        bad = self.dice.choice((0.1, 0.3, 0.5, 0.5, 0.8))
        self.line = Line(self.dice, bad, self._deliver, lambda: self.deed.others(), lambda: self.deed.state())
        self.max_attempts = self.dice.choice((1, 2, 3, 3, 4))
        (make,) = self.dice.choices(list(DEEDS), list(DEEDS.values()))
        self.deed: Deed = make(self)
        self.line.story.append(f"{self.deed.kind}, {self.max_attempts} attempts at most: {self.deed.change or ''}")

    def play(self, client: Client) -> Verdict:
        """Do the deed with a client, and judge what it says."""
        return self._judge(*self._outcome(lambda: self.deed.do(self._project(client))))

    async def play_async(self, client: AsyncClient) -> Verdict:
        """Same as `play`, but awaited."""
        try:
            said = self.deed.do(self._project(client))
            result = await said if inspect.isawaitable(said) else said
        except Exception as error:  # noqa: BLE001  # whatever it is, it is judged
            return self._judge(None, error)
        return self._judge(result, None)

    def _project(self, client: Any) -> Any:
        self.ground.carrier.line = self.line
        view = client.with_options(retry=RetryPolicy(self.max_attempts, initial_delay=0.0))
        return view.project(self.ground.stub.project.id)

    @staticmethod
    def _outcome(do: Callable[[], Any]) -> tuple[Any, Exception | None]:
        try:
            return do(), None
        except Exception as error:  # noqa: BLE001  # whatever it is, it is judged
            return None, error

    def _deliver(self, request: httpx.Request, writes: bool) -> httpx.Response:
        before = self.deed.state()
        response = self.ground.service.handle_request(
            httpx.Request(request.method, request.url, headers=request.headers, content=request.content)
        )
        after = self.deed.state()
        if writes and after is not before:
            self.landings += 1
            guard = json.loads(request.content).get("expectedData", {})
            if self.deed.fences and contains(after["data"], guard):
                self.reopened += 1
        return response

    def _judge(self, result: Any, error: Exception | None) -> Verdict:
        """Compare what was said with what was so, and with what the table says."""
        by_then = self.landings
        said: Any = error if error is not None else result
        applied = getattr(said, "applied", "unexpected") if error or isinstance(result, ChangeResult) else "yes"
        self.line.story.append(f"verdict: {applied}, after {by_then} landings: {error!r}")
        for _ in range(3):
            self.line.meanwhile()
        while self.line.late:
            if self.dice.random() < 0.8:
                self.line.arrive(self.line.late[0])
            else:
                self.line.late.pop(0)
        self.deed.undo()
        row, expected, steps = (None, None, set[str]()) if self.deed.several else self._row()
        checks = {
            f"{error!r} is none of the SDK's errors": error is None or isinstance(error, PlatformError),
            "yes, and it was not applied": applied != "yes" or by_then > 0,
            "no, and it was applied": applied != "no" or by_then == 0,
            "no, and it landed later": applied != "no" or self.landings == 0,
            "a conflict, and it was applied": not isinstance(error, ConflictError) or self.landings == 0,
            "a conflict, and not no": not isinstance(error, ConflictError) or applied == "no",
            "unknown, and a conflict": not isinstance(error, OutcomeUnknownError) or applied == "unknown",
            "in effect, and the record does not meet the change": applied != "in effect" or self._meets(),
            "the guard fences, and it held after a landing": self.reopened == 0,
            "sent again after it may have arrived": self.deed.sent_again or not self._sent_blindly(),
            "landed twice": self.landings < 2 or (self.deed.fences and not self._chained()) or self._resent(),
            "repeated is not told": not self._resent() or not getattr(said, "change", None) or error is not None or said.repeated,
            "other bytes were sent again": self.deed.several or len(self._sent()) == 1,
            f"the table says {expected}": expected in {None, applied},
            "the attempts told are not those made": self.deed.several
            or len(getattr(said, "attempts", self.line.exchanges)) == len(self.line.exchanges),
        }
        wrong = [claim for claim, true in checks.items() if not true]
        return Verdict(self.seed, self.deed.kind, applied, row, steps, wrong, self.line.story)

    def _row(self) -> tuple[str, str, set[str]]:
        """Return the row of the decision table that the run came to, what it says, and the rows passed on the way."""
        writes = [exchange.end for exchange in self.line.exchanges if not exchange.looks]
        looks = [exchange for exchange in self.line.exchanges if exchange.looks]
        again = "fences" if self.deed.fences else "resend"
        steps = {f"{end}, sent again" for end in writes[:-1] if end in {"not sent", "429"}}
        steps |= {f"lost, {again}: sent again" for end in writes[:-1] if end == "lost"}
        steps |= {f"{end} of a look: looked again" for end in {look.end for look in looks[:-1]}}
        last, doubt = writes[-1], "lost" in writes[:-1]
        told = "doubt" if doubt else "no doubt"
        if last == "409" and doubt and looks:
            row, says = self._seen(looks[-1].end, looks[-1].found)
            return f"doubt, 409, a look: {row}", says, steps
        if last == "2xx":
            return (f"doubt, {again}: 2xx" if doubt else "no doubt: 2xx"), "yes", steps
        if last == "2xx, cut off":
            return f"{told}: 2xx, cut off", "yes", steps
        if last == "lost":
            spent = len(writes) == self.max_attempts
            return ("attempts spent: lost" if spent else "lost, not sent again"), "unknown", steps
        spent = "attempts spent: " if last in {"not sent", "429"} else ""
        last = f"{last}, no look" if last == "409" and doubt else last
        return f"{spent}{told}: {last}", "unknown" if doubt else "no", steps

    def _seen(self, end: str, found: Any) -> tuple[str, str]:
        if end != "2xx":
            return end, "unknown"
        if not self._chained():
            return ("meets it", "in effect") if self._meets() else ("does not meet it", "unknown")
        assert self.deed.change is not None
        ring = found["data"].get(TOKENS.ring_key)
        if self.deed.change.token in ring:
            return "our token is there", "yes"
        if self.deed.change.base[TOKENS.key] in ring and ring[-1] != self.deed.change.base[TOKENS.key]:
            return "another took its place", "no"
        return "neither token is there", "unknown"

    def _meets(self) -> bool:
        """Return whether the record met the change when the client was last answered."""
        assert self.deed.change is not None
        data = self.line.exchanges[-1].found["data"]
        return all((value is None and key not in data) or _same(data.get(key), value) for key, value in self.deed.change.patch.items())

    def _chained(self) -> bool:
        return self.deed.kind.startswith("tokens")

    def _resent(self) -> bool:
        """Return whether the change was sent again though it may land twice, since that was asked for."""
        return self.deed.sent_again and not self.deed.fences and self._sent_blindly()

    def _sent_blindly(self) -> bool:
        writes = [exchange.end for exchange in self.line.exchanges if not exchange.looks]
        return not self.deed.several and any(end in {"lost", "2xx, cut off"} for end in writes[:-1])

    def _sent(self) -> set[bytes]:
        return {exchange.sent for exchange in self.line.exchanges if not exchange.looks}


def _same(one: Any, other: Any) -> bool:
    return json.dumps(one, sort_keys=True) == json.dumps(other, sort_keys=True)


# --- deeds on records


def _record(run: Run, *, tokens: OperationTokens | None = None) -> ObjectRecord:
    first = {TOKENS.key: "first", TOKENS.ring_key: ["first"]} if tokens else {}
    return run.ground.clean.records.create(type_slug="deal", data={**BASE, **first})


def _edits(run: Run) -> dict[str, Any]:
    keys = run.dice.sample(list(VALUES), run.dice.choice((1, 1, 2)))
    choices = {key: [value for value in VALUES[key] if value != BASE.get(key)] for key in keys}
    return {
        key: DELETE if key in BASE and run.dice.random() < 0.2 else run.dice.choice(values)
        for key, values in choices.items()
    }


def _change(run: Run, record: ObjectRecord, tokens: OperationTokens | None = None) -> Change:
    guard = run.dice.choices(("touched", "all", ["y"], None), (8, 1, 1, 1))[0]
    return run.ground.clean.records.change(
        record, _edits(run), guard=guard, status=run.dice.random() < 0.15, merge="shallow", tokens=tokens
    )


def _others(run: Run, record: ObjectRecord, change: Change | None) -> Callable[[], None]:
    """Return what sets, deletes, restores or anticipates keys of a record, or deletes the record as a whole."""
    patch = change.patch if change is not None else {"x": 1}

    def others() -> None:
        roll = run.dice.random()
        key = run.dice.choice([*patch, *VALUES])
        data: dict[str, Any] = {key: run.dice.choice((*VALUES.get(key, (1,)), None))}
        if roll < 0.25:
            data = {key: BASE.get(key) for key in patch}
        elif roll < 0.4:
            data = dict(patch)
        if record.id not in run.ground.stub.project.records:
            return
        if roll > 0.985:
            run.line.story.append("  another deletes the record")
            del run.ground.stub.project.records[record.id]
            return
        run.line.story.append(f"  another sets {data}")
        run.ground.clean.records.update(record.id, data=data)

    return others


def _chaining_others(run: Run, record: ObjectRecord) -> Callable[[], None]:
    """Return what changes a record with tokens, at times from a snapshot that is no longer true."""
    snapshots = [record]

    def others() -> None:
        if run.dice.random() < 0.8:
            snapshots.append(ObjectRecord.model_validate(run.ground.stub.project.records[record.id]))
        key = run.dice.choice(list(VALUES))
        change = run.ground.clean.records.change(
            snapshots[-1], {key: run.dice.choice(VALUES[key])}, guard=run.dice.choice(("touched", None)), merge="shallow", tokens=TOKENS
        )
        if not change:
            return
        try:
            snapshots.append(run.ground.clean.records.apply(change).record)
        except StalePreconditionError:
            return
        run.line.story.append(f"  another applies {change}")

    return others


def _on_record(run: Run, kind: str, record: ObjectRecord, do: Callable[[Any], Any], **more: Any) -> Deed:
    records = run.ground.stub.project.records
    others = _chaining_others(run, record) if kind.startswith("tokens") else _others(run, record, more.get("change"))
    return Deed(kind, do, lambda: records.get(record.id), others, lambda: records.pop(record.id, None), **more)


def _apply(run: Run) -> Deed:
    record = _record(run)
    change = _change(run, record)
    probe, resend = run.dice.random() < 0.6, run.dice.random() < 0.2
    return _on_record(
        run,
        "apply",
        record,
        lambda project: project.records.apply(change, probe=probe, resend=resend),
        change=change,
        sent_again=resend or change.fences,
        looks=probe,
    )


def _apply_with_tokens(run: Run) -> Deed:
    record = _record(run, tokens=TOKENS)
    change = _change(run, record, TOKENS)
    return _on_record(
        run,
        "tokens: apply",
        record,
        lambda project: project.records.apply(change),
        change=change,
        sent_again=True,
        looks=True,
    )


def _update(run: Run) -> Deed:
    record = _record(run)
    change = _change(run, record)
    return _on_record(
        run,
        "update",
        record,
        lambda project: project.records.update(
            record.id,
            data=change.patch,
            expected_data=change.guard or UNSET,
            expected_status=change.expected_status or UNSET,
        ),
        change=change,
        sent_again=change.fences,
    )


def _counted(data: dict[str, Any]) -> None:
    data["x"] = data.get("x", 0) + 1


def _modify(run: Run) -> Deed:
    record = _record(run)
    return _on_record(
        run, "modify", record, lambda project: project.records.modify(record, _counted, refresh="noop"), several=True, sent_again=True
    )


def _modify_with_tokens(run: Run) -> Deed:
    record = _record(run, tokens=TOKENS)
    return _on_record(
        run,
        "tokens: modify",
        record,
        lambda project: project.records.modify(record, _counted, refresh="noop", tokens=TOKENS),
        several=True,
        sent_again=True,
    )


# --- deeds that are never sent again


def _created(run: Run) -> Deed:
    records = run.ground.stub.project.records
    known = set(records)

    def undo() -> None:
        for key in set(records) - known:
            del records[key]

    return Deed(
        "create",
        lambda project: project.records.create(type_slug="deal", data=BASE, external_id="ours"),
        lambda: _last(records),
        lambda: None,
        undo,
    )


def _booked(run: Run) -> Deed:
    project, dice = run.ground.stub.project, run.dice
    events = project.calendars[project.primary_calendar].events
    known = set(events)

    def others() -> None:
        if dice.random() < 0.3:
            run.line.story.append("  another books the slot")
            try:
                run.ground.clean.calendar.book(start=SLOT, summary="theirs")
            except ConflictError:
                return

    def undo() -> None:
        for key in set(events) - known:
            del events[key]

    return Deed(
        "book", lambda project: project.calendar.book(start=SLOT, summary="ours"), lambda: _last(events), others, undo
    )


def _rescheduled(run: Run) -> Deed:
    project = run.ground.stub.project
    events = project.calendars[project.primary_calendar].events
    uid = run.ground.clean.calendar.book(start=SLOT, summary="ours").booking_uid
    assert uid is not None

    def others() -> None:
        run.line.story.append("  another moves the event")
        run.ground.clean.calendar.reschedule(uid, start=SLOT, conflict_check=False)

    return Deed(
        "reschedule",
        lambda project: project.calendar.reschedule(uid, start=LATER_SLOT),
        lambda: events.get(uid),
        others,
        lambda: events.pop(uid),
    )


def _last(things: dict[str, Any]) -> Any:
    return next(reversed(things.values()), None)


DEEDS: dict[Callable[[Run], Deed], int] = {
    _apply: 40,
    _apply_with_tokens: 20,
    _update: 15,
    _modify: 6,
    _modify_with_tokens: 5,
    _created: 5,
    _booked: 5,
    _rescheduled: 4,
}


# --- many runs


@dataclass
class Tally:
    """What many runs came to.

    Attributes:
        verdicts: How often each verdict was given, by kind of deed.
        rows: How often each row of the decision table was come to, by the verdict given.
        steps: How often each row that ends nothing was passed.
        wrong: The verdicts that were wrong.
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
    """Return what the runs from these seeds come to, with a sync client or under asyncio or trio."""
    ground, tally = Ground(), Tally()
    if how == "sync":
        with Client(BASE_URL, **ground.options) as client:
            for seed in seeds:
                tally.add(Run(ground, seed).play(client))
        return tally

    async def run() -> None:
        async with AsyncClient(BASE_URL, **ground.options) as client:
            for seed in seeds:
                tally.add(await Run(ground, seed).play_async(client))

    anyio.run(run, backend=how)
    return tally
