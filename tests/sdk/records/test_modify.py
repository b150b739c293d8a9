"""`modify` applies a function to the data of a record, and calls it again only where its change was certainly not applied."""

from __future__ import annotations

import dataclasses
import pickle
import re
import warnings

import pytest

from project_platform import (
    ChangeOptions,
    GuardNeverHoldsError,
    OutcomeUnknownError,
    Response,
    RetryPolicy,
    StalePreconditionError,
    UsageError,
)
from project_platform.calls.commands import Callback
from project_platform.models import ObjectRecord
from project_platform.records.modify import modify

from .deal import BASE, FIRST, GONE, LOST, STALE, TOKENS, WON, after_another, answer, sent, win


@pytest.fixture
def modified(settings, project_id, record):
    """Return a function that modifies the record: it runs the callbacks of the flow, and sends it outcomes."""
    at_once = dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0.0))

    def modified(edit, *outcomes, of=record, **more):
        steps, left, commands = modify(of, edit, project_id, at_once, **more), list(outcomes), []
        try:
            command = next(steps)
            while True:
                if isinstance(command, Callback):
                    command = steps.send(command.function())
                else:
                    commands.append(command)
                    command = steps.send(left.pop(0))
        except StopIteration as end:
            assert not left
            return [sent(command) for command in commands], end.value

    return modified


def count(data):
    """Count one more."""
    return {**data, "count": data.get("count", 0) + 1}


@pytest.mark.parametrize("edit", [win, lambda data: {**data, "stage": "won"}])
def test_a_function_changes_the_data_or_returns_new_data(modified, edit):
    """Its change is sent with a guard, without a read before it."""
    bodies, record = modified(edit, answer(WON))

    assert bodies == [{"data": {"stage": "won"}, "expectedData": {"stage": "open"}}]
    assert record.data == WON


def test_a_function_that_changes_nothing_sends_nothing(modified, record):
    """The given record is returned."""
    assert modified(lambda data: None) == ([], record)
    assert modified(dict) == ([], record)


def test_a_function_cannot_alter_the_snapshot(modified, record):
    """The function is given a deep copy of the data, also if it raises."""
    record = ObjectRecord(id="rec_1", data={"tags": ["a"]})

    def edit(data):
        data["tags"].append("b")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        modified(edit, of=record)

    assert record.data == {"tags": ["a"]}


@pytest.mark.parametrize("garbage", [5, "won", ["stage"], True, object()])
def test_a_function_that_does_not_return_a_dict_is_refused(modified, garbage):
    """It is refused before anything is sent."""
    with pytest.raises(UsageError, match=type(garbage).__name__):
        modified(lambda data: garbage)


@pytest.mark.parametrize("garbage", [{"stage": float("nan")}, {"stage": {1, 2}}, {1: 2}])
def test_a_function_that_returns_data_that_is_not_json_is_refused(modified, garbage):
    """Data that is not JSON is refused before anything is sent."""
    with pytest.raises(UsageError):
        modified(lambda data: garbage)


def test_a_conflict_is_raised_without_refresh(modified):
    """No operation reads a record, and no probe is sent unless the caller allows it."""
    calls = []

    with pytest.raises(StalePreconditionError) as raised:
        modified(lambda data: calls.append(win(data)), STALE)

    assert (raised.value.applied, raised.value.change.patch, len(calls)) == ("no", {"stage": "won"}, 1)


def test_the_function_is_called_again_on_the_current_record_after_a_conflict(modified):
    """With `refresh="noop"` an update without data returns the record, and the function is called on its data."""
    bodies, record = modified(
        count,
        STALE,
        answer({"count": 7}),
        answer({"count": 8}),
        of=ObjectRecord(id="rec_1", data={"count": 1}),
        refresh="noop",
    )

    assert bodies == [
        {"data": {"count": 2}, "expectedData": {"count": 1}},
        {"data": {}},
        {"data": {"count": 8}, "expectedData": {"count": 7}},
    ]
    assert record.data == {"count": 8}


def test_a_newer_snapshot_may_be_returned_by_the_caller(modified, record):
    """`refresh` is called with the old record and returns a newer one."""
    old_records = []

    def refresh(old):
        old_records.append(old)
        return old.model_copy(update={"data": {**BASE, "stage": "lost"}})

    bodies, _ = modified(win, STALE, answer(WON), refresh=refresh)

    assert old_records == [record]
    assert bodies[1]["expectedData"] == {"stage": "lost"}


@pytest.mark.parametrize("fresh", [None, {"stage": "lost"}, ObjectRecord(id="rec_2", data={})])
def test_a_refresh_that_does_not_return_the_same_record_is_refused(modified, fresh):
    """The newer snapshot has to be a state of the same record; the conflict is the cause of the error."""
    with pytest.raises(UsageError, match="not record rec_1") as raised:
        modified(win, STALE, refresh=lambda old: fresh)

    assert isinstance(raised.value.__cause__, StalePreconditionError)


def test_the_last_conflict_is_raised_when_the_snapshots_are_spent(modified):
    """Each snapshot was stale: the last conflict is raised, with a report that compares the two changes."""
    stages = iter(["a", "b", "c"])

    with pytest.raises(StalePreconditionError) as raised:
        modified(
            win,
            STALE,
            STALE,
            STALE,
            max_snapshots=3,
            refresh=lambda old: old.model_copy(update={"data": {**BASE, "stage": next(stages)}}),
        )

    assert raised.value.report.meeting == "conflict"
    assert [(key.base, key.mine, key.theirs) for key in raised.value.report.keys] == [("b", "won", "c")]


@pytest.mark.parametrize("wrong", [0, -1, 1.5, True, "5", None])
def test_fewer_than_one_snapshot_is_refused(modified, wrong):
    """The given record is the first of them; the function is not called, and nothing is sent."""
    with pytest.raises(UsageError, match=rf"max_snapshots is {re.escape(repr(wrong))}; .* counts the given record"):
        modified(lambda data: pytest.fail("the function was called"), max_snapshots=wrong)


def test_the_function_is_called_once_for_each_allowed_snapshot(modified):
    """With two snapshots the function is called twice, and the record is read after each conflict."""
    seen = []

    with pytest.raises(StalePreconditionError):
        modified(
            lambda data: seen.append(data["count"]) or count(data),
            *(STALE, answer({"count": 2}), STALE, answer({"count": 3})),
            of=ObjectRecord(id="rec_1", data={"count": 1}),
            refresh="noop",
            max_snapshots=2,
        )

    assert seen == [1, 2]


def test_a_guard_that_never_holds_is_an_error_after_one_refresh(modified, record):
    """The service refuses a guard that its own record meets, and would refuse it every time."""
    with pytest.raises(GuardNeverHoldsError) as raised:
        modified(win, STALE, answer(BASE), refresh="noop", max_snapshots=1_000)

    assert raised.value.applied == "no"
    assert (raised.value.record.data, raised.value.change.guard) == (BASE, {"stage": "open"})
    assert pickle.loads(pickle.dumps(raised.value)).record == raised.value.record


@pytest.mark.parametrize("look", [[GONE], [LOST, LOST, LOST], [Response(200, complete=False)] * 3])
def test_a_failed_refresh_does_not_hide_the_conflict(modified, look):
    """The change was certainly refused, whether or not the record can be read after it."""
    with pytest.raises(StalePreconditionError) as raised:
        modified(win, STALE, *look, refresh="noop")

    assert raised.value.applied == "no"
    assert len(raised.value.attempts) == 1 + len(look)
    assert raised.value.__cause__ is not None


def test_a_function_is_not_called_again_after_doubt(modified):
    """Its change may have been applied, so a counter would count twice."""
    with pytest.raises(OutcomeUnknownError) as raised:
        modified(count, LOST, STALE, of=ObjectRecord(id="rec_1", data={"count": 1}), refresh="noop")

    assert raised.value.change.patch == {"count": 2}


def test_a_replay_safe_function_is_called_again_after_doubt(modified):
    """With `replay_safe=True` the record is read and the function is called again."""
    bodies, record = modified(win, LOST, STALE, answer(WON), refresh="noop", replay_safe=True)

    assert bodies[-1] == {"data": {}}
    assert record.data == WON


@pytest.mark.parametrize("then", [[STALE, STALE], [STALE, GONE], [GONE], [STALE, answer({"count": 5})]])
def test_doubt_remains_after_a_replay(modified, then):
    """However the second change ends, the first may have been applied: the outcome is unknown."""
    record = ObjectRecord(id="rec_1", data={"count": 1})

    with pytest.raises(OutcomeUnknownError) as raised:
        modified(
            count,
            LOST,
            STALE,
            answer({"count": 5}),
            *then,
            of=record,
            refresh="noop",
            replay_safe=True,
            max_snapshots=2,
        )

    assert raised.value.applied == "unknown"
    assert len(raised.value.attempts) >= 3


def test_with_tokens_a_counter_counts_once(modified):
    """Another change was certainly first: the function is called on the newer data, and its change is applied once."""
    record = ObjectRecord(id="rec_1", data={"count": 1, **FIRST})
    now = after_another({"count": 1, **FIRST}, count=7)

    def third(command):
        return answer({**now, **command["data"]})

    with warnings.catch_warnings(action="ignore"):
        bodies, _ = modified(
            count,
            LOST,
            STALE,
            answer(now),
            answer(now),
            third({"data": {"count": 8}}),
            of=record,
            change_options=ChangeOptions(tokens=TOKENS),
            refresh="noop",
        )

    assert [body["data"].get("count") for body in bodies] == [2, 2, None, None, 8]
    assert bodies[-1]["expectedData"] == {"count": 7, "token": now["token"]}
