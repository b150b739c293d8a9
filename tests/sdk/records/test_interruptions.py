"""Whatever ends a change, an interruption or a warning that is an error, says whether the change was applied."""

from __future__ import annotations

import warnings

import pytest

from project_platform import Change, DecodingError, MergeMismatchError, Response, operations
from project_platform.calls.commands import Callback
from project_platform.records.modify import call_back, modify
from project_platform.records.settle import apply
from project_platform.settling import settled

from .deal import BASE, STALE, record_response

SENDING = (
    "records_update was interrupted; it is not known whether it was applied; call client.settle(call), where call is that of "
    "this exception, or operations.records_update(project_id, ...) with the same arguments; of a change or a typed record, settle that instead"
)
CALLING = "a function given to modify was interrupted; no request was in progress"
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
LOOKING = "the interrupted request is a look; whether the update of record rec_1 was applied is not known"
NONE_EARLIER = "modify was interrupted; no earlier change of record rec_1 was applied"


def notes_after(steps, *results, kind=KeyboardInterrupt):
    """Return the notes of an interruption after these results; a function of the user is called if there is a result."""
    command, left = next(steps), list(results)
    while left:
        if isinstance(command, Callback) and left[0] == "called":
            left.pop(0)
            command = steps.send(command.function())
        else:
            command = steps.send(left.pop(0))
    with pytest.raises(kind) as raised:
        steps.throw(kind())
    return raised.value.__notes__


@pytest.mark.parametrize(
    ("results", "notes"),
    [
        ([], [CALLING, NONE_EARLIER]),
        (["called"], [SENDING, NONE_EARLIER]),
        (["called", STALE], [CALLING, NONE_EARLIER]),
    ],
    ids=["edit", "update", "refresh"],
)
def test_an_interrupted_modify_says_what_became_of_its_changes(record, project_id, at_once, results, notes):
    """The notes are about the request in progress, and about the changes before it."""
    newer = record.model_copy(update={"data": {**BASE, "note": "newer"}})

    def won(snapshot):
        data = yield from call_back(lambda: {**snapshot.data, "stage": "won"}, at_once)
        return Change.between(snapshot, data)

    steps = modify(record, won, project_id, at_once, max_snapshots=5, refresh=lambda old: newer)

    assert notes_after(steps, *results) == notes


def test_an_interrupted_look_leaves_the_change_unknown(change, at_once):
    """The note is about the write, not about the look; also after an exception such as that of a token source."""
    for kind in (KeyboardInterrupt, RuntimeError):
        assert notes_after(settled(change(), at_once), STALE, kind=kind) == [LOOKING]


@pytest.mark.parametrize(
    "call",
    [
        operations.memory_update(PROJECT, "brand/voice", title="t"),
        operations.calendar_reschedule(PROJECT, "evt", start="2031-07-02T10:00:00Z"),
    ],
    ids=lambda call: call.operation.id,
)
@pytest.mark.parametrize("results", [[], [Response(429)]], ids=["sent", "waiting"])
def test_an_interrupted_look_leaves_the_write_unknown(at_once, caplog, *, call, results):
    (note,) = notes_after(settled(call, at_once), *results)

    assert note == "the interrupted request is a look; whether the write was applied is not known"
    assert "it is not known whether it was applied" in caplog.text


WITHOUT_DATA = Response(200, body=b'{"record": {"id": "rec_1"}}')


@pytest.mark.parametrize(
    ("landed", "kind"), [(record_response(BASE), MergeMismatchError), (WITHOUT_DATA, DecodingError)]
)
def test_a_landed_change_does_not_end_in_a_bare_warning(change, project_id, at_once, landed, kind):
    steps = apply(change(), project_id, at_once)
    next(steps)

    with warnings.catch_warnings(action="error"), pytest.raises(kind) as raised:
        steps.send(landed)

    assert (raised.value.applied, type(raised.value.__cause__)) == ("yes", UserWarning)
    assert len(raised.value.attempts) == 1
    assert getattr(raised.value, "status", 200) == 200
