"""What a run does with the batches that an executor had when an earlier process ended. Some of their workers are alive."""

from __future__ import annotations

import shutil
import time
from typing import Any

import pytest

from project_platform import JournalError
from project_platform.bulk.candidates import sending_of
from project_platform.bulk.claims import Claim, Claims
from project_platform.bulk.journal import End, Intent, Journal, OpenBatch, Turn

from .conftest import URL
from .ledger import PROJECT, json_response
from .rows import changes, creates


@pytest.fixture
def claims(path):
    return Claims(f"{path}.claims", create=True)


@pytest.fixture
def journal(path):
    """The journal of the earlier process, which ends without closing it in order."""
    journal = Journal(path, f"{URL} {PROJECT}")
    yield journal
    journal._db.close()
    journal._lock.close()


def begin(journal: Journal, claims: Claims, name: str, rows: list[Any], *, doubt: bool = False) -> None:
    """Write to the journal that an executor gets rows."""
    sendings = [sending_of(row, item, PROJECT) for row, item in enumerate(rows)]
    intents = [Intent(s.row, s.digest, s.key, s.external_id) for s in sendings]
    batch = OpenBatch(name, claims.place, tuple((s.row, doubt) for s in sendings))
    journal.commit(Turn(intents, begun=[batch]))


def killed(journal: Journal) -> None:
    """End the process of a journal. To close the database merges its log, which a kill does not."""
    journal._db.execute("update run set open = 0")
    journal._db.close()
    journal._lock.close()


def claimed(claims: Claims, name: str) -> Claim:
    claim = claims.claim(name)
    assert claim is not None
    return claim


def test_a_batch_that_no_worker_began_is_sent_and_its_task_is_too_late(run, ledger, journal, claims):
    """The place of the claims is in the journal, so a run without an executor claims the batch."""
    begin(journal, claims, "run/0000001", [*creates(3)])
    killed(journal)

    assert run(creates(5)).counts == {"yes": 5}
    assert claims.claim("run/0000001") is None
    assert set(ledger.created.values()) == {1}


def test_what_a_worker_writes_while_the_run_continues_is_read_at_its_end(run, ledger, journal, claims):
    """It outlived the coordinator: its outcomes are taken over, and what it gave back is sent."""
    begin(journal, claims, "run/0000001", [*creates(10)])
    worker = claimed(claims, "run/0000001")
    worker.write([(0, End("yes", ref="rec_0"))])
    killed(journal)
    later = [
        (1, End("yes", ref="rec_1")),
        (2, End("no", note="400")),
        (3, End("unsent")),
        (4, End("refused")),
    ]

    def write(request):
        if later:
            worker.write(later)
            later.clear()
        return json_response(400) if b'"crm-4"' in request.body else None

    ledger.before = write

    ran = run(creates(12))

    assert ran.counts == {"yes": 5, "no": 2, "unknown": 5}
    assert {outcome.row: outcome.applied for outcome in ran.outcomes} == {
        **dict.fromkeys([1, 3, 10, 11], "yes"),
        **dict.fromkeys([2, 4], "no"),
        **dict.fromkeys(range(5, 10), "unknown"),
    }
    assert [row.record_id for row in ran.report.rows("yes")][:2] == ["rec_0", "rec_1"]
    assert ledger.created == {"crm-3": 1, "crm-10": 1, "crm-11": 1}
    shutil.rmtree(claims.place)
    assert run(creates(12)).error is None, "the batch is no longer in the journal"


def test_a_run_that_is_stopped_leaves_its_rows_to_the_next_one(run, ledger, journal, claims):
    """The claims are read once more at the end of the run that reaches its end."""
    begin(journal, claims, "run/0000001", [*creates(10)])
    worker = claimed(claims, "run/0000001")
    killed(journal)

    stopped = run(creates(500), lambda outcome: "break")
    worker.write([(row, End("yes")) for row in range(10)])

    assert stopped.counts["in doubt"] == 10
    assert run(creates(500)).counts == {"yes": 500}
    assert len(ledger.created) == 490


def test_an_outcome_of_a_batch_says_nothing_of_a_row_that_was_sent_again(run, ledger, journal, claims):
    """The worker of the second batch applied it, and the first one, which was slow, gave it back."""
    rows = changes(ledger, 1)
    begin(journal, claims, "run/0000001", rows)
    slow = claimed(claims, "run/0000001")
    begin(journal, claims, "run/0000002", rows, doubt=True)
    claimed(claims, "run/0000002")
    ledger.records["rec_0"]["data"]["stage"] = "won"
    slow.write([(0, End("unsent"))])
    killed(journal)

    assert run(rows).counts == {"unknown": 1}, "a conflict that the second attempt may have caused is no plain no"


@pytest.mark.parametrize("kind", ["unowned", "refused"])
def test_after_a_power_cut_only_an_applied_row_of_a_batch_is_certain(run, ledger, journal, claims, kind):
    """The claim may be lost, and so may the line of another batch that had the rows after this one."""
    begin(journal, claims, "run/0000001", [*creates(3)])
    journal.commit(Turn(ends=[(2, End("waiting"))]))
    if kind == "refused":
        claimed(claims, "run/0000001").write([(0, End("yes")), (1, End("refused"))])
    journal._db.execute("update run set boot = 'another', reserved = 3")
    killed(journal)

    applied = {"unowned": {"unknown": 3}, "refused": {"yes": 1, "unknown": 2}}[kind]
    assert run(creates(3)).counts == applied
    assert ledger.log == []


def test_claims_are_read_at_the_end_whatever_the_limiter_waits_for(run, ledger, journal, claims):
    """A service that does not respond delays requests only."""
    begin(journal, claims, "run/0000001", [*creates(3)])
    worker = claimed(claims, "run/0000001")
    killed(journal)

    def lose(request):
        worker.write([(0, End("yes"))])
        return json_response(503, {"retry-after": "30"})

    ledger.before = lose
    began = time.monotonic()

    assert run(creates(10)).counts == {"yes": 1, "unknown": 9}
    assert time.monotonic() - began < 20


def test_claims_that_cannot_be_read_at_the_end_leave_the_rows_in_doubt(run, ledger, journal, claims):
    """The run ends with the error, and the next one reads them."""
    begin(journal, claims, "run/0000001", [*creates(3)])
    claimed(claims, "run/0000001")
    killed(journal)
    ledger.before = lambda request: shutil.rmtree(claims.place)

    ran = run(creates(4))

    assert isinstance(ran.error, JournalError)
    assert ran.counts == {"in doubt": 3, "yes": 1}
