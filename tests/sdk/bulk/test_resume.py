"""What a run sends that continues a journal, and how unknown rows are settled, where the stub server is the service."""

from __future__ import annotations

import dataclasses
import re
import sqlite3
from typing import Any

import pytest

from project_platform import (
    Capabilities,
    Client,
    InputChangedError,
    Options,
    OutcomeUnknownError,
    RetryPolicy,
    bulk,
    operations,
)
from project_platform_stub import Stub, faults

from .ledger import PROJECT, json_response
from .rows import changes, creates, first


def edit(path, *statements):
    """Change the journal, as a crash may leave it."""
    with sqlite3.connect(path) as db:
        for statement in statements:
            db.execute(statement)
    db.close()


@dataclasses.dataclass
class Case:
    """A first run of some rows, how a crash leaves its journal, and how the rows of the next run end, which sends some of them."""

    rows: int
    then: int
    statements: tuple[str, ...]
    counts: dict[str, int]
    sent: set[int]
    facts: Any = None
    has_boot_id: bool = True


IN_DOUBT = "update item set state = 1 where row in (0, 4)"
CUT = ("delete from item where row >= 20", "update run set reserved = 64")
ANOTHER_START = "update run set boot = 'another'"
CASES = {
    "rows that ended are skipped": Case(50, 50, (), {"yes": 50}, set()),
    "one row, whose number is 0": Case(1, 1, (), {"yes": 1}, set()),
    "appended rows are sent": Case(10, 15, (), {"yes": 15}, {*range(10, 15)}),
    "rows that wait are sent before new ones": Case(6, 8, (IN_DOUBT.replace("1", "0"),), {"yes": 8}, {0, 4, 6, 7}),
    "a create in doubt may have been applied": Case(6, 8, (IN_DOUBT,), {"yes": 6, "unknown": 2}, {6, 7}),
    "where external identifiers are unique, the conflict shows that there is one record": Case(
        6, 6, (IN_DOUBT,), {"yes": 4, "in effect": 2}, {0, 4}, facts="unique"
    ),
    "after a power cut a missing line does not mean that its row was never sent": Case(
        30, 100, (*CUT, ANOTHER_START), {"yes": 56, "unknown": 44}, {*range(64, 100)}
    ),
    "the same where a power cut looks like a kill": Case(
        30, 100, CUT, {"yes": 56, "unknown": 44}, {*range(64, 100)}, has_boot_id=False
    ),
    "without a power cut nothing is in doubt that was not being sent": Case(30, 30, CUT, {"yes": 30}, {*range(20, 30)}),
    "rows that were reserved and do not exist are forgotten": Case(
        30, 30, (ANOTHER_START, "update run set reserved = 64"), {"yes": 30}, set()
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_run_continues_a_journal(run, ledger, path, monkeypatch, name):
    """Each row ends once; one that was in flight when the process ended says where to look."""
    case = CASES[name]
    ledger.plan.unique = case.facts == "unique"
    run.client = {"capabilities": Capabilities(external_id=case.facts)}
    if not case.has_boot_id:
        monkeypatch.setattr("project_platform.bulk.journal._boot_id", lambda: None)
    assert run(creates(case.rows)).counts == {"yes": case.rows}
    edit(path, *case.statements)
    ledger.log.clear()

    ran = run(creates(case.then), most=1)

    assert (ran.counts, ran.error) == (case.counts, None)
    assert ledger.log == [f"crm-{row}" for row in sorted(case.sent)]
    for row in ran.report.unknown():
        assert "before there was a response; wait a minute" in row.error
        assert "search the platform for the record" in row.error


CHANGED = [*creates(20)]
CHANGED[7] = operations.records_create(PROJECT, type_slug="deal", external_id="crm-7", data={"n": "seven"})
WAITING = "update item set state = 0 where row < 3"
REFUSED = {
    "a changed row": ((), CHANGED, "row 7 is not what it was"),
    "a changed row after rows that wait": ((WAITING,), CHANGED, "row 7 is not what it was"),
    "a changed row that may have been applied": (
        ("update item set state = 5 where row = 7",),
        CHANGED,
        "row 7 is not what it was",
    ),
    "fewer rows": ((WAITING,), [*creates(8)], "8 rows, and the journal has 10"),
    "another service": (
        ("update run set service = replace(service, 'https://', 'https://staging.')",),
        None,
        "journal of",
    ),
    "another project": (("update run set service = service || 'x'",), None, "journal of"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_another_input_or_journal_is_refused_before_anything_is_sent(run, ledger, path, name):
    """Rows that wait are before the changed row, and rows that are new after it."""
    statements, rows, message = REFUSED[name]
    run(creates(10))
    edit(path, *statements)
    ledger.log.clear()

    ran = run(rows or creates(11))

    assert isinstance(ran.error, InputChangedError)
    assert message in str(ran.error)
    assert re.search("another journal, (with which )?all rows (would be|are) sent again", str(ran.error))
    assert ledger.log == []


def test_a_run_with_many_rows_to_send_again_begins_with_these(run, ledger, path, monkeypatch):
    """It does not hold more of them than the limit until all rows are compared."""
    run(creates(300))
    edit(path, "update item set state = 0")
    ledger.log.clear()
    monkeypatch.setattr("project_platform.bulk.candidates._MAX_HELD", 20)
    monkeypatch.setattr("project_platform.bulk.engine._COMPARED_AHEAD", 16)
    compared, compared_first = [], []

    def rows():
        for row in creates(300):
            compared.append(row)
            yield row

    ledger.before = lambda request: compared_first.append(len(compared))

    assert run(rows()).counts == {"yes": 300}
    assert 20 <= compared_first[0] < 100


@pytest.mark.parametrize(
    ("settle", "refusals", "applied"), [(False, 0, "unknown"), (True, 0, "in effect"), (False, 1, "unknown")]
)
def test_a_change_in_doubt_is_sent_again_with_the_doubt(run, ledger, settle, refusals, applied):
    """A conflict then may be caused by the attempt of the process that ended; a 429 says nothing about that one."""
    rows = changes(ledger, 4)
    run(rows)
    edit(run.path, "update item set state = 1 where row = 2")
    ledger.log.clear()
    ledger.before = first(refusals, json_response(429))

    ran = run(rows, settle=settle)

    assert [outcome.applied for outcome in ran.outcomes] == [applied]
    assert ledger.log == ["rec_2"] * (1 + refusals + settle)
    assert set(ledger.updated.values()) == {1}


FAULTS = {"after": faults.drop_after_apply(), "before": faults.reset()}


@pytest.fixture
def stub():
    return Stub()


@pytest.fixture
def settle(run, way, stub):
    """Runs rows; returns the counts that are not 0 and the errors of unknown rows."""
    run.project = stub.project.id
    run.client = {"token": stub.token(), "transport": stub.transport() if way == "sync" else stub.async_transport()}

    def settled(items, **options):
        ran = run(items, **options)
        return ran.counts, [row.error for row in ran.report.unknown()]

    return settled


@pytest.fixture
def updates(stub):
    """Updates of three deals without a guard; one that books an event, and one of relations, which nothing can look at."""
    rows = []
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        records = client.project(stub.project.id).records
        for number in range(3):
            deal = records.create(type_slug="deal", data={"stage": "open"})
            rows.append(operations.records_update(stub.project.id, deal.id, data={"stage": f"won {number}"}))
    relations = operations.records_update(stub.project.id, deal.id, relations={"owner": ["rec_1"]})
    visit = {"start": "2031-07-01T09:00:00Z", "duration_minutes": 30, "summary": "Visit"}
    return [*rows, operations.calendar_book(stub.project.id, **visit), relations]


@pytest.mark.parametrize("lost", FAULTS)
def test_unknown_rows_of_an_earlier_run_are_settled_as_their_errors_say(settle, stub, updates, lost):
    """Rows that cannot be sent again are looked at; the others keep what a person has to look at."""
    stub.world.faults.plan("records_update", [FAULTS[lost]] * 4)
    stub.world.faults.plan("calendar_book", FAULTS["after"])
    counts, errors = settle(updates)
    assert counts == {"unknown": 5}
    assert [error.rpartition("; ")[2] for error in errors[:3]] == [
        "run the same input again with settle=True or --settle"
    ] * 3
    assert "search the calendar" in errors[3]
    assert "compare error.seen" in errors[4]

    counts, errors = settle(updates, settle=True)

    assert counts == ({"in effect": 3, "unknown": 2} if lost == "after" else {"unknown": 5})
    written = [entry for entry in stub.world.journal if entry.operation == "records_update" and b"won" in entry.body]
    assert len(written) == 3
    if lost == "before":
        assert all("compare error.seen" in error for error in errors[:3])


def test_unknown_rows_of_a_partition_are_settled_as_their_errors_say(stub, updates, tmp_path):
    """By another run of the task; where the outcomes are gathered, no run continues them."""
    stub.world.faults.plan("records_update", [FAULTS["after"]] * 3)
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        project = client.project(stub.project.id)

        def run(**options):
            outcomes = bulk.partition(project, updates[:3], claims=tmp_path / "claims", name="p0", **options)
            return {outcome.row: (outcome.applied, outcome.error) for outcome in outcomes}

        lost = run()
        assert all(
            error.endswith("run the same input again with settle=True or --settle") for _, error in lost.values()
        )
        assert run() == lost
        settled = run(settle=True)
        assert {applied for applied, _ in settled.values()} == {"in effect"}
        assert bulk.gather(tmp_path / "claims", tmp_path / "all").counts["in effect"] == 3
        with pytest.raises(InputChangedError, match="no run continues it"), project.bulk(tmp_path / "all"):
            pass


@pytest.mark.parametrize(("settles", "counts"), [(False, {"unknown": 1}), (True, {"in effect": 1})])
def test_a_change_that_was_applied_before_with_an_unknown_outcome_is_no_plain_conflict(settle, stub, settles, counts):
    with Client("https://stub.example", token=stub.token(), transport=stub.transport()) as client:
        records = client.project(stub.project.id).records
        change = records.change(records.create(type_slug="deal", data={"stage": "open"}), {"stage": "won"})
        stub.world.faults.plan("records_update", FAULTS["after"])
        with pytest.raises(OutcomeUnknownError):
            records.apply(change, options=Options(retry=RetryPolicy(max_attempts=1)))

    assert settle([change], settle=settles)[0] == counts
