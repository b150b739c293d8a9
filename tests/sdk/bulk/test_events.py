"""A bulk run reports its calls and the end of each row, and warns of unknown rows when they end."""

from __future__ import annotations

from collections import Counter

from project_platform import AttemptEnded, CallEnded, ConnectionLostError, RowEnded, Settled

from .rows import changes, creates, first

LOST = ConnectionLostError("the connection broke")


def test_every_row_has_an_event_and_every_attempt_as_well(run, ledger):
    """An unknown row is reported with the class of its error."""
    events = []
    run.client["on_event"] = events.append
    ledger.before = first(1, LOST)

    ran = run(creates(5))

    rows = [event for event in events if isinstance(event, RowEnded)]
    assert ran.counts == {"yes": 4, "unknown": 1}
    assert sorted(event.row for event in rows) == [0, 1, 2, 3, 4]
    assert [event.error for event in rows if event.applied == "unknown"] == ["UnknownAfterConnectionLostError"]
    assert sum(isinstance(event, AttemptEnded) for event in events) == 5


def test_a_change_that_is_sent_again_is_settled(run, ledger):
    """The doubt of the first attempt is settled by the call that repeats it."""
    events = []
    run.client["on_event"] = events.append
    ledger.before = first(1, LOST)

    ran = run(changes(ledger, 3))

    assert ran.counts == {"yes": 3}
    assert [event.applied for event in events if isinstance(event, Settled)] == ["yes"]
    ends = Counter(event.call.operation_id for event in events if isinstance(event, CallEnded))
    assert ends == {"records.apply": 4, "records_update": 4}


def test_only_a_row_that_ends_as_unknown_is_a_warning(run, ledger, path, caplog):
    """It is written at the default level, when the row ends, and not when the row is sent again."""
    ledger.before = first(1, LOST)
    run(changes(ledger, 3))
    assert caplog.records == []

    run.path, ledger.before = path.with_suffix(".second"), first(1, LOST)
    ran = run(creates(1))

    (record,) = caplog.records
    assert ran.counts == {"unknown": 1}
    assert (record.levelname, record.error) == ("WARNING", "UnknownAfterConnectionLostError")
    assert record.message == "row 0 of a bulk run: it is not known whether it was applied"
