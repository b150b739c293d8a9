"""Flows that apply and modify, given outcomes as values, and the same through clients."""

from __future__ import annotations

import copy
import dataclasses
import json
import pickle
import re
import warnings

import anyio
import httpx
import pytest

from project_platform import (
    AsyncClient,
    Change,
    ChangeOptions,
    Client,
    ConflictError,
    ConnectionLostError,
    DecodingError,
    GuardNeverHoldsError,
    MergeMismatchError,
    NotFoundError,
    NotSentError,
    OperationTokens,
    OutcomeUnknownError,
    PermissionDeniedError,
    RateLimitError,
    Response,
    RetryPolicy,
    ServerError,
    StalePreconditionError,
    TimeoutError,
    UsageError,
)
from project_platform.calls.flow import Callback
from project_platform.models import ObjectRecord
from project_platform.records.settle import apply, modify

LOST = ConnectionLostError("the connection broke")
NOT_SENT = NotSentError("no connection")
LIMITED = Response(429, body=b'{"message": "slow down"}')
STALE = Response(409, body=b'{"message": "stale"}')
GONE = Response(404, body=b'{"message": "gone"}')
BASE = {"stage": "open", "note": "x"}
WON = {**BASE, "stage": "won"}
TOKENS = OperationTokens(key="token", ring_key="ring")


def answer(data, status=200):
    """Return the service's answer with a record of this data."""
    body = {"record": {"id": "rec_1", "status": "open", "data": data}}
    return Response(status, body=json.dumps(body).encode())


def sent(command):
    """Return the body of the request of a command."""
    return json.loads(command.request.body)


@pytest.fixture
def record():
    """Return the record as it was read."""
    return ObjectRecord(id="rec_1", status="open", data=BASE)


@pytest.fixture
def change(record):
    """Return a function that makes a change of the record, by default one that sets its stage to won."""

    def change(want=None, base=BASE, **options):
        before, after = record.model_copy(update={"data": base}), want or {**base, "stage": "won"}
        return Change.between(before, after, change_options=ChangeOptions(**options))

    return change


@pytest.fixture
def applied(play, settings, project_id):
    """Return a function that applies a change with these outcomes; it returns the commands and the result."""
    at_once = dataclasses.replace(settings, retry=RetryPolicy(initial_delay=0.0))

    def applied(change, *outcomes, **more):
        return play(apply(change, project_id, at_once, **more), *outcomes)

    return applied


# --- the decision table, row by row


def test_no_doubt_and_a_2xx_is_yes(change, applied):
    """The first attempt was applied."""
    (command,), result = applied(change(), answer(WON))

    assert sent(command) == {"data": {"stage": "won"}, "expectedData": {"stage": "open"}}
    assert (result.applied, result.repeated, len(result.attempts)) == ("yes", False, 1)
    assert result.record.data == WON


def test_the_status_is_expected_where_the_change_says_so(change, applied):
    """The expected status is sent beside the expected data."""
    (command,), _ = applied(change(status=True), answer(WON))

    assert sent(command)["expectedStatus"] == "open"


def test_no_doubt_and_a_409_is_no(change, applied):
    """Another change was applied first for certain: the error is a conflict, and has the change."""
    made = change()

    with pytest.raises(StalePreconditionError) as raised:
        applied(made, STALE)

    assert (raised.value.applied, raised.value.change, raised.value.report) == ("no", made, None)


@pytest.mark.parametrize("outcome", [NOT_SENT, LIMITED])
def test_what_surely_did_not_land_is_sent_again_and_leaves_no_doubt(change, applied, outcome):
    """A conflict after an attempt that was not sent is a plain conflict, also if the guard does not fence."""
    commands, result = applied(change(guard=None), outcome, answer(WON))
    with pytest.raises(StalePreconditionError):
        applied(change(), outcome, STALE)

    assert (result.applied, result.repeated, len(commands)) == ("yes", False, 2)


def test_a_lost_answer_is_settled_by_the_same_bytes_if_the_guard_fences(change, applied):
    """The guard fences, so the 2xx of the second delivery says that the change was applied once."""
    commands, result = applied(change(), LOST, answer(WON))

    assert len({command.request.body for command in commands}) == 1
    assert (result.applied, result.repeated) == ("yes", False)


@pytest.mark.parametrize("guard", [None, ["note"]])
def test_a_lost_answer_stays_lost_if_the_guard_does_not_fence(change, applied, guard):
    """A change whose guard does not fence is not sent again, unless the caller allows it."""
    with pytest.raises(OutcomeUnknownError) as raised:
        applied(change(guard=guard), LOST)
    _, result = applied(change(guard=guard), LOST, answer(WON), resend=True)

    assert (raised.value.applied, len(raised.value.attempts)) == ("unknown", 1)
    assert (result.applied, result.repeated) == ("yes", True)


@pytest.mark.parametrize(("status", "kind"), [(403, PermissionDeniedError), (404, NotFoundError)])
def test_a_refusal_is_no_only_without_doubt(change, applied, status, kind):
    """A later refusal says nothing about an earlier attempt that may have been applied."""
    refusal = Response(status, body=b"{}")

    with pytest.raises(kind) as refused:
        applied(change(), refusal)
    with pytest.raises(OutcomeUnknownError) as unknown:
        applied(change(), LOST, refusal)

    assert (refused.value.applied, unknown.value.applied) == ("no", "unknown")
    assert not isinstance(unknown.value, kind)


@pytest.mark.parametrize("lost", [LOST, TimeoutError("late"), Response(502), Response(408)])
def test_a_409_after_doubt_is_never_a_plain_conflict(change, applied, lost):
    """The first attempt may have caused it: the error says that the outcome is unknown."""
    made = change()

    with pytest.raises(OutcomeUnknownError) as raised:
        applied(made, lost, STALE)

    assert not isinstance(raised.value, ConflictError)
    assert isinstance(raised.value.__cause__, StalePreconditionError)
    assert (raised.value.change, raised.value.seen) == (made, None)


def test_a_probe_asks_for_what_the_change_sets_and_changes_nothing(change, applied):
    """The probe is an update without data whose guard has the values that the patch sets."""
    made = change({"stage": "won"})

    (*_, probe), result = applied(made, LOST, STALE, answer({"stage": "won"}), probe=True)

    assert sent(probe) == {"data": {}, "expectedData": {"stage": "won"}}
    assert (result.applied, result.repeated, len(result.attempts)) == ("in effect", False, 3)


@pytest.mark.parametrize(
    ("want", "found", "verdict"),
    [
        ({**BASE, "stage": "won"}, {"stage": "won", "note": "theirs"}, "in effect"),
        ({"stage": "open"}, {"stage": "open"}, "in effect"),
        ({"stage": "won"}, {"stage": "won", "note": "y"}, "unknown"),
        ({**BASE, "stage": ["a"]}, {"stage": ["a", "b"]}, "unknown"),
        ({**BASE, "stage": {"a": 1}}, {"stage": {"a": 1, "b": 2}}, "unknown"),
    ],
)
def test_a_probe_that_is_answered_is_compared_with_the_change(change, applied, want, found, verdict):
    """Containment is not enough: the record is compared with the patch, deletions and arrays included."""
    made = change(want)
    outcomes = (LOST, STALE, answer(found))

    if verdict == "in effect":
        _, result = applied(made, *outcomes, probe=True)
        assert (result.applied, result.record.data) == ("in effect", found)
        return
    with pytest.raises(OutcomeUnknownError) as raised:
        applied(made, *outcomes, probe=True)
    assert (raised.value.applied, raised.value.seen.data) == ("unknown", found)
    assert len(raised.value.attempts) == 3


@pytest.mark.parametrize(
    "answers", [[STALE], [GONE], [LOST, LOST, LOST], [NOT_SENT] * 3, [Response(200, complete=False)] * 3]
)
def test_a_probe_that_sees_nothing_leaves_it_unknown(change, applied, answers):
    """The attempts of the probe are among those of the error."""
    with pytest.raises(OutcomeUnknownError) as raised:
        applied(change(), LOST, STALE, *answers, probe=True)

    assert (raised.value.applied, raised.value.seen) == ("unknown", None)
    assert len(raised.value.attempts) == 2 + len(answers)
    assert not isinstance(raised.value, ConflictError)


@pytest.mark.parametrize(
    ("outcomes", "error", "verdict"),
    [
        ([LOST] * 3, ConnectionLostError, "unknown"),
        ([Response(503)] * 3, ServerError, "unknown"),
        ([LOST, NOT_SENT, NOT_SENT], OutcomeUnknownError, "unknown"),
        ([LOST, LOST, LIMITED], OutcomeUnknownError, "unknown"),
        ([NOT_SENT] * 3, NotSentError, "no"),
        ([NOT_SENT, LIMITED, LIMITED], RateLimitError, "no"),
    ],
)
def test_when_the_attempts_are_spent_doubt_decides(change, applied, outcomes, error, verdict):
    """The outcome is "unknown" if any attempt may have been applied, otherwise "no"."""
    with pytest.raises(error) as raised:
        applied(change(), *outcomes, probe=True)

    assert (raised.value.applied, isinstance(raised.value, OutcomeUnknownError)) == (verdict, verdict == "unknown")


@pytest.mark.parametrize("doubt", [[], [LOST]])
@pytest.mark.parametrize("resend", [False, True])
def test_an_answer_that_is_cut_off_is_yes_and_nothing_is_sent_again(change, applied, doubt, resend):
    """The head of a 2xx says that it was applied; sending it again would only cause a conflict."""
    with pytest.raises(DecodingError) as raised:
        applied(change(), *doubt, Response(200, complete=False), probe=True, resend=resend)

    assert raised.value.applied == "yes"


def test_a_change_that_may_have_landed_twice_says_so_also_when_it_is_found_in_effect(change, applied):
    """With `resend=True` and a guard that does not fence, two lost attempts may both have been applied."""
    made = change(guard=["note"])

    _, result = applied(made, LOST, LOST, STALE, answer(WON), probe=True, resend=True)
    _, once = applied(made, LOST, STALE, answer(WON), probe=True, resend=True)

    assert (result.applied, result.repeated) == ("in effect", True)
    assert (once.applied, once.repeated) == ("in effect", False)


# --- operation tokens


def test_a_token_tells_that_the_change_landed_whatever_came_after(change, applied):
    """If the ring has its token, the change was applied, also if later changes altered the record."""
    made = change(base={**BASE, "token": "T", "ring": ["T"]}, tokens=TOKENS)
    found = {"stage": "lost", "token": "V", "ring": ["T", made.token, "V"]}

    (*_, probe), result = applied(made, LOST, STALE, answer(found), verify_merge=True)

    assert sent(probe) == {"data": {}}
    assert (result.applied, result.record.data) == ("yes", found)


def test_a_token_tells_that_another_came_first(change, applied):
    """If another token follows the previous one, the change was not applied and cannot be any more; the error has a report."""
    made = change(base={**BASE, "token": "T", "ring": ["T"]}, tokens=TOKENS)
    found = {**BASE, "stage": "lost", "token": "V", "ring": ["T", "V"]}

    with pytest.raises(StalePreconditionError) as raised:
        applied(made, LOST, STALE, answer(found))

    assert (raised.value.applied, raised.value.change, raised.value.status) == ("no", made, 409)
    assert raised.value.report.meeting == "conflict"
    assert len(raised.value.attempts) == 3


def test_a_ring_that_has_moved_on_tells_nothing(change, applied):
    """If the ring has neither token, the outcome is unknown, and the error has the record that was seen."""
    made = change(base={**BASE, "token": "T", "ring": ["T"]}, tokens=TOKENS)

    with pytest.raises(OutcomeUnknownError) as raised:
        applied(made, LOST, STALE, answer({**WON, "token": "Z", "ring": ["Y", "Z"]}))

    assert raised.value.seen.data["token"] == "Z"


# --- the answer against the prediction


KOELN, BOTH = {"site": {"city": "Köln"}}, {"site": {"city": "Köln", "storeys": 2}}
OTHER_MERGES = {
    "deep instead of shallow": ("shallow", KOELN, {"site": {"storeys": 2}}, BOTH),
    "shallow instead of deep": ("deep", KOELN, BOTH, {"site": {"storeys": 3}}),
    "null copies": ("any", BASE, {"stage": "open"}, {"stage": "open", "note": None}),
    "values changed": ("any", BASE, WON, {**BASE, "stage": "WON"}),
}


@pytest.mark.parametrize("other", OTHER_MERGES)
def test_a_service_that_merges_in_another_way_is_found_out(change, applied, other):
    """The returned record is compared with the prediction: a difference is an error with `verify_merge`, otherwise a warning."""
    merge, base, want, found = OTHER_MERGES[other]
    made = change(want, base, merge=merge)

    with pytest.raises(MergeMismatchError) as raised:
        applied(made, answer(found), verify_merge=True)
    with pytest.warns(UserWarning, match="merges in another way") as warned:
        _, result = applied(made, answer(found))

    assert (raised.value.applied, raised.value.change, raised.value.record.data) == ("yes", made, found)
    assert (result.applied, len(warned)) == ("yes", 1)


def test_a_deep_merge_that_was_not_excluded_is_no_other_merge(change, applied):
    """A deep merge keeps keys that others added beside a nested key; that is no difference."""
    made = change({"site": {"city": "Köln", "storeys": 2}}, {"site": {"city": "Köln"}})

    _, result = applied(made, answer({"site": {"city": "Köln", "storeys": 2, "roof": "flat"}}), verify_merge=True)

    assert result.applied == "yes"


# --- bad input


def test_nothing_is_sent_for_no_change(change, settings, project_id):
    """An empty change is refused; the error says how to check for it."""
    with pytest.raises(UsageError, match="if change:"):
        next(apply(change(BASE), project_id, settings))


def test_a_change_of_another_project_is_refused(change, settings, project_id):
    """A change is applied only in the project of its record."""
    other = "9c4c6e0b-0e5d-4c39-9a53-3f1f5d3d0b11"

    with pytest.raises(UsageError, match=other):
        next(apply(dataclasses.replace(change(), project_id=other), project_id, settings))
    assert next(apply(dataclasses.replace(change(), project_id=project_id), project_id, settings))


@pytest.mark.parametrize("keep", [lambda error: pickle.loads(pickle.dumps(error)), copy.copy, copy.deepcopy])
def test_errors_keep_what_they_carry(change, applied, keep):
    """Copies of the errors keep change, report, seen record and returned record."""
    made = change(base={**BASE, "token": "T", "ring": ["T"]}, tokens=TOKENS)
    found = answer({**BASE, "stage": "lost", "token": "V", "ring": ["T", "V"]})
    with pytest.raises(StalePreconditionError) as stale:
        applied(made, LOST, STALE, found)
    with pytest.raises(OutcomeUnknownError) as unknown:
        applied(change(), LOST, STALE, answer({"stage": ["won"]}), probe=True)
    with pytest.raises(MergeMismatchError) as mismatch:
        applied(change(), answer(BASE), verify_merge=True)

    copies = [keep(raised.value) for raised in (stale, unknown, mismatch)]

    assert [error.applied for error in copies] == ["no", "unknown", "yes"]
    assert [error.attempts for error in copies] == [raised.value.attempts for raised in (stale, unknown, mismatch)]
    assert (copies[0].change, copies[0].report) == (made, stale.value.report)
    assert copies[1].seen.data == {"stage": ["won"]}
    assert (copies[2].change, copies[2].record.data) == (change(), BASE)


# --- modify


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


def win(data):
    """Win a deal."""
    data["stage"] = "won"


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


def test_a_function_cannot_spoil_the_snapshot(modified, record):
    """The function is given a deep copy of the data, also if it raises."""
    record = ObjectRecord(id="rec_1", data={"tags": ["a"]})

    def edit(data):
        data["tags"].append("b")
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        modified(edit, of=record)

    assert record.data == {"tags": ["a"]}


@pytest.mark.parametrize("garbage", [5, "won", ["stage"], True, object()])
def test_a_function_that_returns_no_data_is_refused(modified, garbage):
    """It is refused before anything is sent."""
    with pytest.raises(UsageError, match=type(garbage).__name__):
        modified(lambda data: garbage)


@pytest.mark.parametrize("garbage", [{"stage": float("nan")}, {"stage": {1, 2}}, {1: 2}])
def test_a_function_that_returns_what_is_no_json_is_refused(modified, garbage):
    """Data that is not JSON is refused before anything is sent."""
    with pytest.raises(UsageError):
        modified(lambda data: garbage)


def test_without_a_way_to_refresh_a_conflict_is_raised(modified):
    """No operation reads a record, and no probe is sent unless the caller allows it."""
    calls = []

    with pytest.raises(StalePreconditionError) as raised:
        modified(lambda data: calls.append(win(data)), STALE)

    assert (raised.value.applied, raised.value.change.patch, len(calls)) == ("no", {"stage": "won"}, 1)


def test_a_conflict_is_tried_again_on_what_is_there(modified):
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


def test_a_newer_snapshot_may_come_from_the_caller(modified, record):
    """`refresh` is called with the old record and returns a newer one."""
    old_records = []

    def refresh(old):
        old_records.append(old)
        return old.model_copy(update={"data": {**BASE, "stage": "lost"}})

    bodies, _ = modified(win, STALE, answer(WON), refresh=refresh)

    assert old_records == [record]
    assert bodies[1]["expectedData"] == {"stage": "lost"}


@pytest.mark.parametrize("fresh", [None, {"stage": "lost"}, ObjectRecord(id="rec_2", data={})])
def test_a_refresh_that_gives_something_else_is_refused(modified, fresh):
    """The newer snapshot has to be a state of the same record; the conflict is the cause of the error."""
    with pytest.raises(UsageError, match="not record rec_1") as raised:
        modified(win, STALE, refresh=lambda old: fresh)

    assert isinstance(raised.value.__cause__, StalePreconditionError)


def test_the_snapshots_end(modified):
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
def test_a_number_of_snapshots_is_at_least_one(modified, wrong):
    """The given record is the first of them; the function is not called, and nothing is sent."""
    with pytest.raises(UsageError, match=rf"max_snapshots is {re.escape(repr(wrong))}; .* counts the given record"):
        modified(lambda data: pytest.fail("the function was called"), max_snapshots=wrong)


def test_as_many_snapshots_are_changed_as_are_allowed(modified):
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


def test_a_guard_that_never_holds_ends_at_once(modified, record):
    """The service refuses a guard that its own record meets, and would refuse it every time."""
    with pytest.raises(GuardNeverHoldsError) as raised:
        modified(win, STALE, answer(BASE), refresh="noop", max_snapshots=1_000)

    assert raised.value.applied == "no"
    assert (raised.value.record.data, raised.value.change.guard) == (BASE, {"stage": "open"})
    assert pickle.loads(pickle.dumps(raised.value)).record == raised.value.record


@pytest.mark.parametrize("look", [[GONE], [LOST, LOST, LOST], [Response(200, complete=False)] * 3])
def test_a_look_that_fails_does_not_hide_what_is_known(modified, look):
    """The change was certainly refused, whether or not the record can be read after it."""
    with pytest.raises(StalePreconditionError) as raised:
        modified(win, STALE, *look, refresh="noop")

    assert raised.value.applied == "no"
    assert len(raised.value.attempts) == 1 + len(look)
    assert raised.value.__cause__ is not None


def test_a_function_is_not_run_again_after_doubt(modified):
    """Its change may have been applied, so a counter would count twice."""
    with pytest.raises(OutcomeUnknownError) as raised:
        modified(count, LOST, STALE, of=ObjectRecord(id="rec_1", data={"count": 1}), refresh="noop")

    assert raised.value.change.patch == {"count": 2}


def test_a_function_that_may_be_replayed_is_run_again_after_doubt(modified):
    """With `replay_safe=True` the record is read and the function is called again."""
    bodies, record = modified(win, LOST, STALE, answer(WON), refresh="noop", replay_safe=True)

    assert bodies[-1] == {"data": {}}
    assert record.data == WON


@pytest.mark.parametrize("then", [[STALE, STALE], [STALE, GONE], [GONE], [STALE, answer({"count": 5})]])
def test_a_doubt_stays_through_a_replay(modified, then):
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
    record = ObjectRecord(id="rec_1", data={"count": 1, "token": "T", "ring": ["T"]})
    now = {"count": 7, "token": "V", "ring": ["T", "V"]}

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
    assert bodies[-1]["expectedData"] == {"count": 7, "token": "V"}


# --- through clients


@pytest.fixture
def guarded(project, record):
    """Return a change of the record that wins it, made by the client."""
    return project.records.change(record, {"stage": "won"})


def http(outcome):
    """Return what a scripted service answers for an outcome."""
    if isinstance(outcome, Response):
        return httpx.Response(outcome.status, content=outcome.body)
    return httpx.ReadError("the connection broke")


def test_a_client_applies_a_change(project, service, guarded):
    """The same flow runs under every kind of client."""
    service.will(http(LOST), http(STALE), http(answer(WON)))

    result = project.records.apply(guarded, probe=True)

    assert (result.applied, result.record.data, len(result.attempts)) == ("in effect", WON, 3)


def test_a_client_modifies_a_record(project, service, record):
    """The function and `refresh` may be plain ones under every kind of client."""
    service.will(http(STALE), http(answer(WON)))

    modified_record = project.records.modify(
        record, win, refresh=lambda old: old.model_copy(update={"data": {**BASE, "stage": "lost"}})
    )

    assert modified_record.data == WON


def test_functions_may_be_asynchronous_under_an_async_client(project, service, record, way):
    """The function and `refresh` are awaited; a sync client refuses them and sends nothing."""

    async def edit(data):
        await anyio.lowlevel.checkpoint()
        win(data)

    async def refresh(old):
        await anyio.lowlevel.checkpoint()
        return old.model_copy(update={"data": {**BASE, "stage": "lost"}})

    if way == "sync":
        with pytest.raises(UsageError, match="needs an AsyncClient"):
            project.records.modify(record, edit)
        assert not service.requests
        return
    service.will(http(STALE), http(answer(WON)))
    assert project.records.modify(record, edit, refresh=refresh).data == WON


def test_what_a_function_raises_comes_out_and_nothing_is_sent(project, service, record):
    """An exception of the function is raised unchanged."""

    def edit(data):
        raise ZeroDivisionError("by the caller")

    with pytest.raises(ZeroDivisionError, match="by the caller") as raised:
        project.records.modify(record, edit)

    assert not service.requests
    assert not getattr(raised.value, "__notes__", [])


def test_a_plain_update_tells_the_truth_as_well(project, service):
    """`records.update` is repeated in the same way, and a conflict after a lost answer is not reported as one."""
    service.will(http(LOST), http(STALE))
    with pytest.raises(OutcomeUnknownError, match=r"records\.apply\(change, probe=True\)") as raised:
        project.records.update("rec_1", data={"stage": "won"}, expected_data={"stage": "open"})

    service.will(http(LOST), http(answer(WON)))
    record = project.records.update("rec_1", data={"stage": "won"}, expected_data={"stage": "open"})

    assert not isinstance(raised.value, ConflictError)
    assert record.data == WON


MUTATIONS = {
    "external_id": lambda project: project.records.create(type_slug="deal", external_id="crm-42"),
    "but not whether your booking has taken it": lambda project: project.calendar.book(
        start="2031-03-03T09:00:00Z", summary="Visit"
    ),
    "whether the new slot is taken": lambda project: project.calendar.reschedule("evt_1", start="2031-03-03T09:00:00Z"),
    "for a sub-project with this name": lambda project: project.templates.apply("tpl_1", name="Client"),
    "for one with this name": lambda project: project.workflows.create(
        name="Greet", trigger_type_slug="deal", trigger_event_type="created"
    ),
}


@pytest.mark.parametrize("hint", MUTATIONS)
def test_a_write_whose_answer_is_lost_says_how_to_find_out(project, service, hint):
    """It is sent once, its outcome is unknown, and the message says how to find out."""
    service.will(http(LOST))

    with pytest.raises(OutcomeUnknownError) as raised:
        MUTATIONS[hint](project)

    assert hint in str(raised.value)
    assert "look before you repeat it" in str(raised.value)
    assert (raised.value.applied, len(service.requests)) == ("unknown", 1)


# --- interruptions


class Interrupted:
    """A transport that is interrupted while it waits for an answer."""

    def send(self, request):
        """Be interrupted as by Ctrl-C."""
        raise KeyboardInterrupt

    def close(self):
        """Have nothing to close."""


class Waiting:
    """A transport that waits for an answer for ever."""

    async def send(self, request):
        """Wait."""
        await anyio.sleep_forever()

    async def aclose(self):
        """Have nothing to close."""


def test_ctrl_c_in_the_middle_of_a_write_says_what_is_not_known(change, project_id, token):
    """The request may have arrived: the interruption has a note that says so, for a write but not for a read."""
    with Client("https://platform.example", token=token, transport=Interrupted()) as client:
        project = client.project(project_id)
        with pytest.raises(KeyboardInterrupt) as written:
            project.records.apply(change())
        with pytest.raises(KeyboardInterrupt) as read:
            project.agents.list().first_page()

    assert written.value.__notes__ == ["records_update was interrupted; it is not known whether it was applied"]
    assert not hasattr(read.value, "__notes__")


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_a_write_that_is_cancelled_says_what_is_not_known(change, project_id, token, backend):
    """The cancellation is raised unchanged, with a note that the change may have been applied."""
    notes = []

    async def write():
        async with AsyncClient("https://platform.example", token=token, transport=Waiting()) as client:
            try:
                await client.project(project_id).records.apply(change())
            except anyio.get_cancelled_exc_class() as cancelled:
                notes.extend(cancelled.__notes__)
                raise

    async def main():
        with anyio.move_on_after(0.01) as scope:
            await write()
        assert scope.cancelled_caught

    anyio.run(main, backend=backend)

    assert notes == ["records_update was interrupted; it is not known whether it was applied"]
