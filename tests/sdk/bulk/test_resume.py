"""What a run sends that continues a journal."""

from __future__ import annotations

import sqlite3

import pytest

from project_platform import (
    Capabilities,
    Change,
    ChangeOptions,
    ConnectionLostError,
    InputChangedError,
    OperationTokens,
    operations,
)
from project_platform.models import ObjectRecord

from .ledger import PROJECT, answer
from .rows import changes, creates


def edit(path, statement, *values):
    """Change the journal, as a crash may leave it."""
    with sqlite3.connect(path) as db:
        db.execute(statement, values)
    db.close()


@pytest.mark.parametrize("rows", [1, 50])
def test_a_second_run_sends_nothing_again(run, ledger, rows):
    """Rows that ended are skipped, also if there is one row, whose number is 0."""
    first, second = run(creates(rows)), run(creates(rows))

    assert first.counts == second.counts == {"yes": rows}
    assert second.outcomes == []
    assert set(ledger.arrived.values()) == {1}


def test_appended_rows_are_sent(run, ledger):
    """The input may have grown."""
    run(creates(10))

    assert {outcome.row for outcome in run(creates(15)).outcomes} == {10, 11, 12, 13, 14}
    assert len(ledger.created) == 15


@pytest.mark.parametrize("state", ["yes", "waiting"])
def test_a_changed_row_is_found_before_anything_is_sent(run, ledger, path, state):
    """Rows that wait are before the changed row, and rows that are new after it."""
    run(creates(10))
    edit(path, "update item set state = ? where row < 3", {"yes": 2, "waiting": 0}[state])
    ledger.log.clear()
    rows = [*creates(20)]
    rows[7] = operations.records_create(PROJECT, type_slug="deal", external_id="crm-7", data={"n": "seven"})

    ran = run(rows)

    assert isinstance(ran.error, InputChangedError)
    assert ran.error.row == 7
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


def test_an_input_that_lacks_rows_is_found_before_anything_is_sent(run, ledger, path):
    """Perhaps it is another file."""
    run(creates(10))
    edit(path, "update item set state = 0 where row < 3")
    ledger.log.clear()

    ran = run(creates(8))

    assert isinstance(ran.error, InputChangedError)
    assert "8 rows, and the journal has 10" in str(ran.error)
    assert ledger.log == []


@pytest.mark.parametrize("changed", ["base_url", "project"])
def test_a_journal_belongs_to_one_service_and_project(run, ledger, path, changed):
    """A staging run is not continued in production."""
    run(creates(3))
    statement = {"base_url": "replace(service, 'https://', 'https://staging.')", "project": "service || 'x'"}[changed]
    edit(path, f"update run set service = {statement}")
    ledger.log.clear()

    assert isinstance(run(creates(4)).error, InputChangedError)
    assert ledger.log == []


def test_a_create_that_was_being_sent_when_the_process_ended_is_unknown(run, ledger, path):
    """It may have been applied."""
    run(creates(6))
    edit(path, "update item set state = 1 where row in (0, 4)")
    ledger.log.clear()

    ran = run(creates(8))

    assert {outcome.row: outcome.applied for outcome in ran.outcomes} == {
        0: "unknown",
        4: "unknown",
        6: "yes",
        7: "yes",
    }
    assert [row.key for row in ran.report.unknown()] == ["crm-0", "crm-4"]
    assert set(ledger.log) == {"crm-6", "crm-7"}


def test_a_change_that_was_being_sent_is_sent_again_with_the_doubt(run, ledger, path):
    """A conflict then may be caused by the attempt of the process that ended, so it is no plain "no"."""
    rows = changes(ledger, 4)
    run(rows)
    edit(path, "update item set state = 1 where row = 2")

    without = run(rows)
    edit(path, "update item set state = 1 where row = 2")
    settled = run(rows, settle=True)

    assert [outcome.applied for outcome in without.outcomes] == ["unknown"]
    assert [outcome.applied for outcome in settled.outcomes] == ["in effect"]
    assert set(ledger.updated.values()) == {1}


def test_a_doubt_stays_when_the_row_is_refused_for_now(run, ledger, path):
    """A 429 says nothing about the attempt of the process that ended."""
    rows = changes(ledger, 1)
    run(rows)
    edit(path, "update item set state = 1")
    planned = [answer(429)]
    ledger.before = lambda request: planned.pop(0) if planned else None

    assert run(rows).counts == {"unknown": 1}
    assert len(ledger.log) == 3


def test_a_create_in_doubt_is_sent_again_where_external_ids_are_unique(run, ledger, path):
    """The conflict shows that there is exactly one record."""
    ledger.plan.unique = True
    run.client = {"capabilities": Capabilities(external_id="unique")}
    run(creates(5))
    edit(path, "update item set state = 1 where row = 3")

    assert run(creates(5)).counts == {"yes": 4, "in effect": 1}
    assert set(ledger.created.values()) == {1}


def test_failed_rows_are_sent_again_only_if_wanted(run, ledger):
    """They were surely not applied."""
    ledger.before = lambda request: answer(400) if b'"crm-1"' in request.body else None
    assert run(creates(3)).counts == {"yes": 2, "no": 1}
    ledger.before = lambda request: None

    assert run(creates(3)).counts == {"yes": 2, "no": 1}
    assert run(creates(3), retry_failed=True).counts == {"yes": 3}
    assert set(ledger.created.values()) == {1}


def test_an_unknown_row_is_skipped_until_it_is_settled(run, ledger, path):
    """A person looks: "yes" ends the row, and "no" sends it."""
    lost = iter([ConnectionLostError("lost")] * 2)
    ledger.after = lambda request, response: next(lost, response)
    run(creates(3))
    unknown = [row.row for row in run(creates(3)).report.unknown()]
    ledger.log.clear()

    with run.open() as job:
        job.settle(unknown[0], "yes", record_id="rec_17")
        job.settle(unknown[1], "no")

    ran = run(creates(3))
    assert ran.counts == {"yes": 3}
    assert ledger.log == [f"crm-{unknown[1]}"]
    assert "rec_17" in {row.record_id for row in ran.report.rows("yes")}


@pytest.mark.parametrize("identified", [True, False])
def test_after_a_power_cut_what_was_not_synced_is_in_doubt(run, ledger, path, monkeypatch, identified):
    """A missing line does not mean that its row was never sent, also where a power cut looks like a kill."""
    if not identified:
        monkeypatch.setattr("project_platform.bulk.journal._boot_id", lambda: None)
    run(creates(30))
    edit(path, "delete from item where row >= 20")
    edit(path, "update run set reserved = 64")
    if identified:
        edit(path, "update run set boot = 'another'")

    ran = run(creates(100))

    assert ran.counts == {"yes": 20 + 100 - 64, "unknown": 44}
    assert set(ledger.created.values()) == {1}


def test_after_a_power_cut_the_input_may_be_shorter_than_what_was_reserved(run, path):
    """Rows that were reserved and do not exist are forgotten."""
    run(creates(30))
    edit(path, "update run set boot = 'another', reserved = 64")

    ran = run(creates(30))

    assert ran.error is None
    assert ran.counts == {"yes": 30}


def test_a_process_that_ends_leaves_rows_exact_on_the_same_start_of_the_machine(run, ledger, path):
    """Without a power cut, no row is in doubt that was not being sent."""
    run(creates(10))
    edit(path, "delete from item where row >= 5")
    edit(path, "update run set reserved = 64")

    assert run(creates(10)).counts == {"yes": 10}


def test_changes_with_operation_tokens_have_to_be_the_same(run, ledger):
    """A change that is made anew has another token, so nothing could say what became of the first one."""
    tokens = OperationTokens()
    data = {"stage": "open", **tokens.first()}
    ledger.create("seed", {"typeSlug": "deal", "data": data})

    def change():
        record = ObjectRecord(id="rec_0", data=data)
        return Change.between(record, {**data, "stage": "won"}, change_options=ChangeOptions(tokens=tokens))

    run([change()])

    assert isinstance(run([change()]).error, InputChangedError)
