"""What the end of an attempt means for its row, and whether the row is sent again."""

from __future__ import annotations

import dataclasses

import pytest

from project_platform import (
    Capabilities,
    ConnectionLostError,
    NotSentError,
    OperationTokens,
    Response,
    operations,
)
from project_platform.calls.headers import Headers
from project_platform.models import ObjectRecord
from project_platform.records.change import Change
from project_platform.records.options import ChangeOptions

from .ledger import PROJECT, answer
from .rows import changes, creates, first

LOST = ConnectionLostError("the connection broke")
UNIQUE = {"capabilities": Capabilities(external_id="unique")}


def test_every_row_that_succeeds_ends_with_yes(run, ledger):
    """Each row is sent once, and its outcome has position, key and value."""
    ran = run(creates(50))

    assert ran.counts == {"yes": 50}
    assert set(ledger.created.values()) == {1}
    outcome = min(ran.outcomes, key=lambda outcome: outcome.row)
    assert (outcome.row, outcome.key, outcome.applied, outcome.value.data) == (0, "crm-0", "yes", {"n": 0})


@pytest.mark.parametrize("refusal", [answer(429), NotSentError("no connection")], ids=["429", "not sent"])
def test_a_row_that_was_refused_for_now_or_not_sent_is_sent_again(run, ledger, refusal):
    """A service that is away, or that refuses for now, fails no row."""
    ledger.before = first(2, refusal)

    ran = run(creates(3))

    assert ran.counts == {"yes": 3}
    assert len(ledger.log) == 5
    assert set(ledger.created.values()) == {1}


def test_a_row_that_was_refused_for_now_is_waiting_in_the_journal(run, ledger):
    """It was not applied, so a kill during the pause after a 429 leaves no doubt."""
    ledger.before = lambda request: answer(429, {"retry-after": "30"}) if b'"crm-1"' in request.body else None

    ran = run(creates(2), lambda outcome: "break", most=2)

    assert ran.counts == {"yes": 1, "waiting": 1}


@pytest.mark.parametrize("end", [LOST, answer(503), answer(408)], ids=["connection lost", "503", "408"])
def test_a_create_whose_answer_is_lost_is_unknown_and_never_sent_again(run, ledger, end):
    """It may have been applied, and a second one would be a second record."""
    ledger.after = lambda request, response: end

    ran = run(creates(5))
    again = run(creates(5))

    assert ran.counts == again.counts == {"unknown": 5}
    assert again.outcomes == []
    assert set(ledger.arrived.values()) == {1}


def test_a_change_that_fences_is_sent_again_after_a_lost_answer(run, ledger):
    """Its guard is false once it was applied, so it cannot be applied twice."""
    rows = changes(ledger, 4)
    ledger.before = first(4, LOST)

    assert run(rows).counts == {"yes": 4}
    assert set(ledger.updated.values()) == {1}


@pytest.mark.parametrize(("settle", "applied"), [(False, "unknown"), (True, "in effect")])
def test_a_conflict_after_a_lost_answer_is_never_a_plain_no(run, ledger, settle, applied):
    """The first attempt may have caused the conflict; settling it shows the state."""
    rows = changes(ledger, 3)
    lost = set()

    def after(request, response):
        if request.url in lost:
            return response
        lost.add(request.url)
        return LOST

    ledger.after = after

    assert run(rows, settle=settle).counts == {applied: 3}
    assert set(ledger.updated.values()) == {1}


def test_a_conflict_without_a_doubt_is_no(run, ledger):
    """A stale change that was answered was not applied."""
    rows = changes(ledger, 3)
    ledger.records["rec_1"]["data"]["stage"] = "lost"

    ran = run(rows)

    assert ran.counts == {"yes": 2, "no": 1}
    (failed,) = ran.report.failed()
    assert (failed.row, failed.key, failed.error.partition(":")[0]) == (1, "rec_1", "StalePreconditionError")


def test_operation_tokens_settle_a_conflict_for_sure(run, ledger):
    """With tokens, a look shows that it was this change."""
    tokens = OperationTokens()
    ledger.create("seed", {"typeSlug": "deal", "data": {"stage": "open", **tokens.first()}})
    record = ObjectRecord(id="rec_0", data=dict(ledger.records["rec_0"]["data"]))
    change = Change.between(record, {**record.data, "stage": "won"}, change_options=ChangeOptions(tokens=tokens))
    lost = iter([LOST])
    ledger.after = lambda request, response: next(lost, response)

    assert run([change]).counts == {"yes": 1}
    assert ledger.updated["rec_0"] == 1


def test_a_row_that_may_be_repeated_is_lost_at_most_five_times(run, ledger):
    """Then it is unknown, so that one row cannot keep a run from its end."""
    rows = changes(ledger, 1)
    ledger.before = lambda request: LOST

    assert run(rows).counts == {"unknown": 1}
    assert ledger.arrived["rec_0"] == 5


def test_an_answer_that_cannot_be_read_is_yes(run, ledger):
    """A 2xx says that the write was applied."""
    ledger.after = lambda request, response: dataclasses.replace(response, body=b"no JSON")

    ran = run(creates(2))

    assert ran.counts == {"yes": 2}
    assert all(outcome.error.startswith("DecodingError") for outcome in ran.outcomes)


def test_a_refusal_is_no_and_unknown_after_a_lost_answer(run, ledger):
    """A refusal says nothing about an earlier attempt that was lost."""
    rows = changes(ledger, 2)
    ledger.before = lambda request: (
        answer(404) if request.url.endswith("rec_0") or ledger.arrived["rec_1"] > 1 else LOST
    )

    ran = run(rows)

    assert {outcome.key: outcome.applied for outcome in ran.outcomes} == {"rec_0": "no", "rec_1": "unknown"}


@pytest.mark.parametrize(("fact", "applied"), [("unique", "in effect"), ("free", "unknown"), (None, "unknown")])
def test_a_create_is_sent_again_only_where_external_ids_are_known_to_be_unique(run, ledger, fact, applied):
    """There, a conflict after a lost answer means that there is exactly one record."""
    ledger.plan.unique = True
    run.client = {"capabilities": Capabilities(external_id=fact)}
    answered: set[bytes] = set()

    def first_is_lost(request, response):
        if request.body in answered:
            return response
        answered.add(request.body)
        return LOST

    ledger.after = first_is_lost

    assert run(creates(3)).counts == {applied: 3}
    assert set(ledger.created.values()) == {1}


def test_a_create_without_an_external_id_is_never_sent_again(run, ledger):
    """No fact about external identifiers says anything about it."""
    run.client = UNIQUE
    ledger.after = lambda request, response: LOST

    assert run([operations.records_create(PROJECT, type_slug="deal")]).counts == {"unknown": 1}
    assert ledger.arrived["?"] == 1


def test_where_a_second_create_changes_the_record_it_is_repeated(run, ledger):
    """Twice is then as good as once."""
    run.client = {"capabilities": Capabilities(external_id="upsert")}
    lost = iter([LOST])
    ledger.after = lambda request, response: next(lost, response)

    assert run(creates(1)).counts == {"yes": 1}
    assert ledger.arrived["crm-0"] == 2


def test_a_defect_of_the_transport_leaves_its_row_unknown(run, ledger):
    """An exception that no transport should raise does not lose the row, nor the rows after it."""

    def before(request):
        if b"crm-1" in request.body:
            raise KeyError("defect")

    ledger.before = before

    ran = run(creates(4))

    assert ran.error is None
    assert ran.counts == {"yes": 3, "unknown": 1}


def test_reads_need_no_certainty(run, ledger):
    """A read that fails ends with no, and one whose answer is lost is repeated."""
    busy = answer(200, busy=[], timeZone="UTC")
    planned = [LOST, Response(404, Headers(), b""), busy]
    ledger.before = lambda request: planned.pop(0)
    rows = [operations.calendar_busy(PROJECT, time_min="2026-11-20T00:00:00Z", time_max="2026-11-21T00:00:00Z")] * 2

    assert run(rows, most=1).counts == {"yes": 1, "no": 1}
