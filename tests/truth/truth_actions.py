"""The actions of the client under test, and concurrent writes of others."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from project_platform import (
    DELETE,
    UNSET,
    Change,
    ChangeOptions,
    ConflictError,
    OperationTokens,
    StalePreconditionError,
)
from project_platform.models import ObjectRecord

if TYPE_CHECKING:
    from truth_driver import Run

    from project_platform_stub.world.store import Rows

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
class Action:
    """An action of the client under test.

    Attributes:
        kind: Name in the counts.
        do: Carries it out, with a project of the client; async clients return an awaitable.
        state: Returns the object that it writes to; a new object after each write.
        others: Performs a random write of others.
        undo: Restores the world.
        change: The change; None for other writes.
        sent_again: Whether it may be sent again after a lost response.
        settles: Whether the caller settles a conflict that follows a lost response.
        several: Whether it consists of several changes.
        replayed: Whether a second copy is as good as one.
    """

    kind: str
    do: Callable[[Any], Any]
    state: Callable[[], Any]
    others: Callable[[], None]
    undo: Callable[[], object]
    change: Change | None = None
    sent_again: bool = False
    settles: bool = False
    several: bool = False
    replayed: bool = False

    @property
    def fences(self) -> bool:
        """Whether the guard prevents a second delivery."""
        return self.change is not None and self.change.fences


# Actions on records


def _record(run: Run, *, tokens: OperationTokens | None = None) -> ObjectRecord:
    first = tokens.first() if tokens else {}
    return run.environment.clean.records.create(type_slug="deal", data={**BASE, **first})


def _edits(run: Run) -> dict[str, Any]:
    keys = run.rng.sample(list(VALUES), run.rng.choice((1, 1, 2)))
    choices = {key: [value for value in VALUES[key] if value != BASE.get(key)] for key in keys}
    return {
        key: DELETE if key in BASE and run.rng.random() < 0.2 else run.rng.choice(values)
        for key, values in choices.items()
    }


def _change(run: Run, record: ObjectRecord, tokens: OperationTokens | None = None) -> Change:
    guard = run.rng.choices(("touched", "all", ["y"], None), (8, 1, 1, 1))[0]
    return Change.of_edits(
        record,
        _edits(run),
        change_options=ChangeOptions(
            guard=guard, status=run.rng.random() < 0.15, merge=run.rng.choice(("any", "shallow")), tokens=tokens
        ),
    )


def _others(run: Run, record: ObjectRecord, change: Change | None) -> Callable[[], None]:
    """Return a function that sets, deletes, restores or anticipates keys of a record, or deletes the record."""
    patch = change.patch if change is not None else {"x": 1}

    def others() -> None:
        roll = run.rng.random()
        key = run.rng.choice([*patch, *VALUES])
        data: dict[str, Any] = {key: run.rng.choice((*VALUES.get(key, (1,)), None))}
        if roll < 0.25:
            data = {key: BASE.get(key) for key in patch}
        elif roll < 0.4:
            data = dict(patch)
        if record.id not in run.environment.stub.project.records:
            return
        if roll > 0.985:
            run.line.log.append("  another deletes the record")
            del run.environment.stub.project.records[record.id]
            return
        run.line.log.append(f"  another sets {data}")
        run.environment.clean.records.update(record.id, data=data)

    return others


def _chaining_others(run: Run, record: ObjectRecord) -> Callable[[], None]:
    """Return a function that changes a record with tokens, sometimes from an outdated snapshot."""
    snapshots = [record]

    def others() -> None:
        if run.rng.random() < 0.8:
            snapshots.append(ObjectRecord.model_validate(run.environment.stub.project.records[record.id]))
        key = run.rng.choice(list(VALUES))
        change = Change.of_edits(
            snapshots[-1],
            {key: run.rng.choice(VALUES[key])},
            change_options=ChangeOptions(guard=run.rng.choice(("touched", None)), merge="shallow", tokens=TOKENS),
        )
        if not change:
            return
        try:
            snapshots.append(run.environment.clean.records.apply(change).record)
        except StalePreconditionError:
            return
        run.line.log.append(f"  another applies {change}")

    return others


def _on_record(run: Run, kind: str, record: ObjectRecord, do: Callable[[Any], Any], **more: Any) -> Action:
    records = run.environment.stub.project.records
    others = _chaining_others(run, record) if "tokens" in kind else _others(run, record, more.get("change"))
    return Action(kind, do, lambda: records.get(record.id), others, lambda: records.pop(record.id, None), **more)


def _apply(run: Run) -> Action:
    record = _record(run)
    change = _change(run, record)
    settles = run.rng.random() < 0.6
    return _on_record(
        run,
        "apply",
        record,
        lambda project: project.records.apply(change),
        change=change,
        sent_again=change.fences,
        settles=settles,
    )


def _apply_with_tokens(run: Run) -> Action:
    record = _record(run, tokens=TOKENS)
    change = _change(run, record, TOKENS)
    return _on_record(
        run,
        "tokens: apply",
        record,
        lambda project: project.records.apply(change),
        change=change,
        sent_again=True,
    )


def _apply_after_a_late_start(run: Run) -> Action:
    """The first token is from a change of another writer, and a late copy of that change may be applied once more."""
    clean = run.environment.clean
    begun = _record(run)
    first = Change.between(begun, {**begun.data, "seen": 1}, change_options=ChangeOptions(tokens=TOKENS))
    record = clean.records.apply(first).record
    change = _change(run, record, TOKENS)
    action = _on_record(
        run,
        "late tokens: apply",
        record,
        lambda project: project.records.apply(change),
        change=change,
        sent_again=True,
    )
    chaining, late = action.others, [first]

    def others() -> None:
        chaining()
        if late and run.rng.random() < 0.2:
            run.line.log.append("  a late copy of the first change arrives")
            clean.records.update(record.id, data=late.pop().patch)

    action.others = others
    return action


def _update(run: Run) -> Action:
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


def _modified(project: Any, record: ObjectRecord, **options: Any) -> Any:
    records = project.records.of("deal", refresh="noop", **options)
    return records.modify(records.wrap(record), _counted)


def _modify(run: Run) -> Action:
    record = _record(run)
    return _on_record(
        run,
        "modify",
        record,
        lambda project: _modified(project, record),
        several=True,
        sent_again=True,
    )


def _modify_with_tokens(run: Run) -> Action:
    record = _record(run, tokens=TOKENS)
    return _on_record(
        run,
        "tokens: modify",
        record,
        lambda project: _modified(project, record, change_options=ChangeOptions(tokens=TOKENS)),
        several=True,
        sent_again=True,
    )


# Actions that may be repeated any number of times


def _remembered(run: Run) -> Action:
    memory = run.environment.stub.project.memory
    slug = next(iter(memory))

    def others() -> None:
        run.line.log.append("  another writes the entry")
        run.environment.clean.memory.update(slug, content="theirs")

    return Action(
        "memory",
        lambda project: project.memory.update(slug, content="ours"),
        lambda: memory[slug],
        others,
        lambda: None,
        several=True,
        sent_again=True,
        replayed=True,
    )


# Actions that are never sent again


def _created(run: Run) -> Action:
    records = run.environment.stub.project.records
    known = set(records)

    def undo() -> None:
        for key in set(records) - known:
            del records[key]

    return Action(
        "create",
        lambda project: project.records.create(type_slug="deal", data=BASE, external_id="ours"),
        lambda: _last(records),
        lambda: None,
        undo,
    )


def _booked(run: Run) -> Action:
    events, rng = run.environment.stub.project.events, run.rng
    known = set(events)

    def others() -> None:
        if rng.random() < 0.3:
            run.line.log.append("  another books the slot")
            try:
                run.environment.clean.calendar.book(start=SLOT, summary="theirs")
            except ConflictError:
                return

    def undo() -> None:
        for key in set(events) - known:
            del events[key]

    return Action(
        "book", lambda project: project.calendar.book(start=SLOT, summary="ours"), lambda: _last(events), others, undo
    )


def _rescheduled(run: Run) -> Action:
    events = run.environment.stub.project.events
    uid = run.environment.clean.calendar.book(start=SLOT, summary="ours").booking_uid

    def others() -> None:
        run.line.log.append("  another moves the event")
        run.environment.clean.calendar.reschedule(uid, start=SLOT, conflict_check=False)

    return Action(
        "reschedule",
        lambda project: project.calendar.reschedule(uid, start=LATER_SLOT),
        lambda: events.get(uid),
        others,
        lambda: events.pop(uid),
    )


def _last(things: Rows[Any]) -> Any:
    last = next(reversed(things), None)
    return None if last is None else things[last]


ACTIONS: dict[Callable[[Run], Action], int] = {
    _apply: 40,
    _apply_with_tokens: 20,
    _apply_after_a_late_start: 5,
    _update: 15,
    _modify: 6,
    _modify_with_tokens: 5,
    _remembered: 4,
    _created: 5,
    _booked: 5,
    _rescheduled: 4,
}
