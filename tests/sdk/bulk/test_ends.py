"""What the end of an attempt means for its row, whether the row is sent again, and what listeners and the log learn of it."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

import pytest

from project_platform import (
    AttemptEnded,
    Capabilities,
    ConnectionLostError,
    NotSentError,
    OperationTokens,
    Response,
    RowEnded,
    operations,
)
from project_platform.calls.headers import Headers
from project_platform.models import ObjectRecord
from project_platform.records.change import Change
from project_platform.records.options import ChangeOptions

from .ledger import PROJECT, Ledger, json_response
from .rows import changes, creates, first

LOST = ConnectionLostError("the connection broke")
PAGE = Response(200, Headers({"content-type": "text/html"}), b"<html>Log in</html>")
BUSY = operations.calendar_busy(PROJECT, time_min="2026-11-20T00:00:00Z", time_max="2026-11-21T00:00:00Z")

EMPTY = Change.between(ObjectRecord(id="rec_1", data={"a": 1}), {"a": 1})


def once(response: Any) -> Callable[[Any, Any], Any]:
    """Return what answers to the first arrival of each request, instead of the response to what was carried out."""
    arrived = set()

    def after(request, original):
        again = (request.url, request.body) in arrived
        arrived.add((request.url, request.body))
        return original if again else response

    return after


def in_turn(*responses: Any) -> Callable[[Any], Any]:
    left = list(responses)
    return lambda request: left.pop(0)


def always(response: Any) -> Callable[[Any, Any], Any]:
    return lambda request, original: response


def stale(ledger: Ledger) -> list[Any]:
    rows = changes(ledger, 3)
    ledger.records["rec_1"]["data"]["stage"] = "lost"
    return rows


def token_change(ledger: Ledger) -> list[Any]:
    tokens = OperationTokens()
    ledger.create("seed", {"typeSlug": "deal", "data": {"stage": "open", **tokens.first()}})
    record = ObjectRecord(id="rec_0", data=dict(ledger.records["rec_0"]["data"]))
    return [Change.between(record, {**record.data, "stage": "won"}, change_options=ChangeOptions(tokens=tokens))]


def defect(request: Any) -> None:
    """Raise what no transport should raise, for one row."""
    if b"crm-1" in request.body:
        raise KeyError("defect")


@dataclasses.dataclass
class Case:
    """Functions that return rows and what the service answers, and how the rows end; `arrived` is how often each row arrived."""

    counts: dict[str, int]
    rows: Any = dataclasses.field(default_factory=lambda: lambda ledger: creates(3))
    before: Any = None
    after: Any = None
    facts: Any = None
    unique: bool = False
    options: dict[str, Any] = dataclasses.field(default_factory=dict)
    arrived: set[int] | None = None


THREE = {"yes": 3}
CASES = {
    "a row is sent once": Case(THREE, arrived={1}),
    "an empty change is not sent": Case({"in effect": 1}, lambda ledger: [EMPTY], arrived=set()),
    "429: it was not applied": Case(THREE, before=lambda: first(2, json_response(429))),
    "not sent": Case(THREE, before=lambda: first(2, NotSentError("no connection")), arrived={1}),
    "a create whose response is lost may have been applied": Case(
        {"unknown": 3}, after=lambda: always(LOST), arrived={1}
    ),
    "the same, 503": Case({"unknown": 3}, after=lambda: always(json_response(503)), arrived={1}),
    "the same, 408": Case({"unknown": 3}, after=lambda: always(json_response(408)), arrived={1}),
    "a guard that fences cannot be applied twice": Case(
        THREE, lambda ledger: changes(ledger, 3), lambda: first(3, LOST)
    ),
    "a conflict after a lost response is never a plain no": Case(
        {"unknown": 3}, lambda ledger: changes(ledger, 3), after=lambda: once(LOST)
    ),
    "settling it shows the state": Case(
        {"in effect": 3}, lambda ledger: changes(ledger, 3), after=lambda: once(LOST), options={"settle": True}
    ),
    "with operation tokens a look shows that it was this change": Case(
        {"yes": 1}, token_change, after=lambda: once(LOST)
    ),
    "a conflict without a doubt is no": Case({"yes": 2, "no": 1}, stale),
    "a row that may be repeated is lost at most five times": Case(
        {"unknown": 1}, lambda ledger: changes(ledger, 1), lambda: lambda request: LOST, arrived={5}
    ),
    "unique: a conflict after a lost response means one record": Case(
        {"in effect": 3}, after=lambda: once(LOST), facts="unique", unique=True, arrived={2}
    ),
    "not unique: nothing is known": Case(
        {"unknown": 3}, after=lambda: once(LOST), facts="free", unique=True, arrived={1}
    ),
    "no fact is known": Case({"unknown": 3}, after=lambda: once(LOST), unique=True, arrived={1}),
    "unique, but without an identifier": Case(
        {"unknown": 1},
        lambda ledger: [operations.records_create(PROJECT, type_slug="deal")],
        after=lambda: always(LOST),
        facts="unique",
        arrived={1},
    ),
    "a second create changes the record": Case(THREE, after=lambda: once(LOST), facts="upsert", arrived={2}),
    "a refusal is no, and says nothing about an earlier attempt that was lost": Case(
        {"no": 1, "unknown": 1},
        lambda ledger: changes(ledger, 2),
        lambda: in_turn(json_response(404), LOST, json_response(404)),
        options={"most": 1},
    ),
    "a defect of the transport loses no other row": Case({"yes": 2, "unknown": 1}, before=lambda: defect),
    "a read whose response cannot be read is repeated, and is not done": Case(
        {"yes": 1, "no": 1},
        lambda ledger: [BUSY] * 2,
        lambda: in_turn(PAGE, json_response(200, busy=[], timeZone="UTC"), *[PAGE] * 5),
        options={"most": 1},
    ),
    "a read whose response is lost is repeated, and one that fails ends with no": Case(
        {"yes": 1, "no": 1},
        lambda ledger: [BUSY] * 2,
        lambda: in_turn(LOST, Response(404, Headers(), b""), json_response(200, busy=[], timeZone="UTC")),
        options={"most": 1},
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_rows_end_as_their_responses_say(run, ledger, name):
    """The next run sends no row again, and nothing was applied twice."""
    case = CASES[name]
    rows = list(case.rows(ledger))
    ledger.plan.unique = case.unique
    ledger.before = case.before() if case.before else ledger.before
    ledger.after = case.after() if case.after else ledger.after
    run.client = {"capabilities": Capabilities(external_id=case.facts)}

    ran = run(rows, **case.options)

    assert (ran.counts, ran.error, len(ran.outcomes)) == (case.counts, None, len(rows))
    assert case.arrived is None or set(ledger.arrived.values()) == case.arrived
    if case.facts != "upsert":
        assert {*ledger.created.values(), *ledger.updated.values()} <= {1}
    assert run(rows).outcomes == []


def test_every_row_and_every_attempt_has_an_event_and_an_unknown_row_a_warning(run, ledger, caplog):
    """The warning is written at the default level, when the row ends, and not when a row is sent again."""
    events = []
    run.client["on_event"] = events.append
    ledger.before = first(1, LOST)
    run(changes(ledger, 3))
    assert caplog.records == []

    run.path, ledger.before = run.path.with_suffix(".second"), first(1, LOST)
    events.clear()
    ran = run(creates(5))

    rows = [event for event in events if isinstance(event, RowEnded)]
    assert ran.counts == {"yes": 4, "unknown": 1}
    assert sorted(event.row for event in rows) == [0, 1, 2, 3, 4]
    (unknown,) = [event for event in rows if event.applied == "unknown"]
    assert unknown.error == "UnknownAfterConnectionLostError"
    assert sum(isinstance(event, AttemptEnded) for event in events) == 5
    (record,) = caplog.records
    assert (record.levelname, record.error) == ("WARNING", "UnknownAfterConnectionLostError")
    assert record.message == f"row {unknown.row} of a bulk run: it is not known whether it was applied"
