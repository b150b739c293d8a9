"""`apply` sends a change and `settled` settles one whose response was lost: each reports whether it was applied."""

from __future__ import annotations

import copy
import dataclasses
import pickle

import pytest

from project_platform import (
    ConflictError,
    ConnectionLostError,
    DecodingError,
    MergeMismatchError,
    NotFoundError,
    NotSentError,
    OutcomeUnknownError,
    PermissionDeniedError,
    RateLimitError,
    Response,
    ServerError,
    StalePreconditionError,
    TimeoutError,
    UsageError,
)
from project_platform.records.settle import apply

from .deal import BASE, FIRST, GONE, LIMITED, LOST, NOT_SENT, STALE, TOKENS, WON, after_another, answer, sent


def test_a_2xx_without_earlier_doubt_is_yes(change, applied):
    """The first attempt was applied."""
    (command,), result = applied(change(), answer(WON))

    assert sent(command) == {"data": {"stage": "won"}, "expectedData": {"stage": "open"}}
    assert (result.applied, result.repeated, len(result.attempts)) == ("yes", False, 1)
    assert result.record.data == WON


def test_a_change_that_guards_the_status_sends_the_expected_status(change, applied):
    """The expected status is sent with the expected data."""
    (command,), _ = applied(change(status=True), answer(WON))

    assert sent(command)["expectedStatus"] == "open"


def test_a_409_without_earlier_doubt_is_no(change, applied):
    """Another change was applied first for certain: the error is a conflict, and has the change."""
    new_change = change()

    with pytest.raises(StalePreconditionError) as raised:
        applied(new_change, STALE)

    assert (raised.value.applied, raised.value.change, raised.value.report) == ("no", new_change, None)


@pytest.mark.parametrize("outcome", [NOT_SENT, LIMITED])
def test_an_attempt_that_was_certainly_not_applied_is_sent_again_and_leaves_no_doubt(change, applied, outcome):
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
def test_a_change_whose_guard_does_not_fence_is_never_sent_again(change, applied, settled, guard):
    """It could be applied twice: its outcome is unknown, and settling it sends nothing but a look."""
    with pytest.raises(OutcomeUnknownError) as raised:
        applied(change(guard=guard), LOST)
    (look,), result = settled(change(guard=guard), answer(WON))

    assert (raised.value.applied, len(raised.value.attempts)) == ("unknown", 1)
    assert sent(look) == {"data": {}}
    assert (result.applied, result.repeated, len(result.attempts)) == ("in effect", False, 2)


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
    new_change = change()

    with pytest.raises(OutcomeUnknownError) as raised:
        applied(new_change, lost, STALE)

    assert not isinstance(raised.value, ConflictError)
    assert isinstance(raised.value.__cause__, StalePreconditionError)
    assert (raised.value.change, raised.value.seen) == (new_change, None)


def test_a_look_changes_nothing_and_expects_nothing(change, settled):
    """It is an update without data and without a guard, so that its response has the record whatever its values."""
    (again, look), result = settled(change(), STALE, answer(WON))

    assert sent(again) == {"data": {"stage": "won"}, "expectedData": {"stage": "open"}}
    assert sent(look) == {"data": {}}
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
def test_the_record_that_a_look_shows_is_compared_with_the_change(change, settled, want, found, verdict):
    """Containment is not enough: the record is compared with the patch, deletions and arrays included."""
    outcomes = (STALE, answer(found))

    if verdict == "in effect":
        _, result = settled(change(want), *outcomes)
        assert (result.applied, result.value.data) == ("in effect", found)
        return
    with pytest.raises(OutcomeUnknownError) as raised:
        settled(change(want), *outcomes)
    assert (raised.value.applied, raised.value.seen.data) == ("unknown", found)
    assert len(raised.value.attempts) == 3


@pytest.mark.parametrize(
    "answers", [[STALE], [GONE], [LOST, LOST, LOST], [NOT_SENT] * 3, [Response(200, complete=False)] * 3]
)
def test_a_look_that_shows_nothing_leaves_the_outcome_unknown(change, settled, answers):
    """The attempts of the look are among those of the error."""
    with pytest.raises(OutcomeUnknownError) as raised:
        settled(change(), STALE, *answers)

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
def test_doubt_decides_the_error_when_the_attempts_are_spent(change, applied, outcomes, error, verdict):
    """The outcome is "unknown" if any attempt may have been applied, otherwise "no"."""
    with pytest.raises(error) as raised:
        applied(change(), *outcomes)

    assert (raised.value.applied, isinstance(raised.value, OutcomeUnknownError)) == (verdict, verdict == "unknown")


@pytest.mark.parametrize("doubt", [[], [LOST]])
def test_a_truncated_2xx_is_yes_and_the_change_is_not_sent_again(change, applied, doubt):
    """The head of a 2xx says that it was applied; sending it again would only cause a conflict."""
    with pytest.raises(DecodingError) as raised:
        applied(change(), *doubt, Response(200, complete=False))

    assert raised.value.applied == "yes"


def test_a_token_in_the_ring_proves_that_the_change_was_applied(change, applied):
    """If the ring has its token, the change was applied, also if later changes altered the record."""
    new_change = change(base={**BASE, **FIRST}, tokens=TOKENS)
    found = after_another(new_change.predicted, stage="lost")

    (*_, look), result = applied(new_change, LOST, STALE, answer(found))

    assert sent(look) == {"data": {}}
    assert (result.applied, result.record.data) == ("yes", found)


def test_another_token_in_the_ring_proves_that_the_change_was_not_applied(change, applied):
    """If another token follows the previous one, the change was not applied and cannot be any more; the error has a report."""
    new_change = change(base={**BASE, **FIRST}, tokens=TOKENS)
    found = after_another({**BASE, **FIRST}, stage="lost")

    with pytest.raises(StalePreconditionError) as raised:
        applied(new_change, LOST, STALE, answer(found))

    assert (raised.value.applied, raised.value.change, raised.value.status) == ("no", new_change, 409)
    assert raised.value.report.meeting == "conflict"
    assert len(raised.value.attempts) == 3


def test_a_ring_without_either_token_leaves_the_outcome_unknown(change, applied):
    """If the ring has neither token, the outcome is unknown, and the error has the record that was seen."""
    another = TOKENS.first()
    new_change = change(base={**BASE, **FIRST}, tokens=TOKENS)

    with pytest.raises(OutcomeUnknownError) as raised:
        applied(new_change, LOST, STALE, answer({**WON, **another}))

    assert raised.value.seen.data["token"] == another["token"]


KOELN, BOTH = {"site": {"city": "Köln"}}, {"site": {"city": "Köln", "storeys": 2}}
OTHER_MERGES = {
    "deep instead of shallow": ("shallow", KOELN, {"site": {"storeys": 2}}, BOTH),
    "shallow instead of deep": ("deep", KOELN, BOTH, {"site": {"storeys": 3}}),
    "null copies": ("any", BASE, {"stage": "open"}, {"stage": "open", "note": None}),
    "values changed": ("any", BASE, WON, {**BASE, "stage": "WON"}),
}


@pytest.mark.parametrize("other", OTHER_MERGES)
def test_a_service_that_merges_in_another_way_is_detected(change, applied, other):
    """The returned record is compared with the prediction: a difference is a warning, and an error where warnings are errors."""
    merge, base, want, found = OTHER_MERGES[other]
    new_change = change(want, base, merge=merge)

    with pytest.raises(MergeMismatchError) as raised:
        applied(new_change, answer(found))
    with pytest.warns(UserWarning, match="merges in another way") as warned:
        _, result = applied(new_change, answer(found))

    assert (raised.value.applied, raised.value.change, raised.value.record.data) == ("yes", new_change, found)
    assert (result.applied, len(warned)) == ("yes", 1)


def test_a_deep_merge_that_was_not_excluded_is_accepted(change, applied):
    """A deep merge keeps sibling keys that others added to a nested object, which is not a mismatch."""
    new_change = change({"site": {"city": "Köln", "storeys": 2}}, {"site": {"city": "Köln"}})

    _, result = applied(new_change, answer({"site": {"city": "Köln", "storeys": 2, "roof": "flat"}}))

    assert result.applied == "yes"


def test_an_empty_change_is_refused(change, settings, project_id):
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
def test_errors_preserve_their_attributes_when_copied(change, applied, settled, keep):
    """Copies of the errors keep change, report, seen record and returned record."""
    new_change = change(base={**BASE, **FIRST}, tokens=TOKENS)
    found = answer(after_another({**BASE, **FIRST}, stage="lost"))
    with pytest.raises(StalePreconditionError) as stale:
        applied(new_change, LOST, STALE, found)
    with pytest.raises(OutcomeUnknownError) as unknown:
        settled(change(), STALE, answer({"stage": ["won"]}))
    with pytest.raises(MergeMismatchError) as mismatch:
        applied(change(), answer(BASE))

    copies = [keep(raised.value) for raised in (stale, unknown, mismatch)]

    assert [error.applied for error in copies] == ["no", "unknown", "yes"]
    assert [error.attempts for error in copies] == [raised.value.attempts for raised in (stale, unknown, mismatch)]
    assert (copies[0].change, copies[0].report) == (new_change, stale.value.report)
    assert copies[1].seen.data == {"stage": ["won"]}
    assert (copies[2].change, copies[2].record.data) == (change(), BASE)
