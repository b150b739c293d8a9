"""Partitions of an input, sent by tasks without a coordinator: each row by one of them."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

from project_platform import Client, InputChangedError, UsageError, bulk
from project_platform.errors import AuthenticationError, JournalError

from .conftest import URL
from .ledger import PROJECT, Ledger, Transport, json_response
from .rows import changes, creates


def send(ledger: Ledger, claims: Path, items: Any, name: str = "p0", **options: Any) -> list[Any]:
    with Client(URL, token="t", transport=Transport(ledger)) as client:
        return list(bulk.partition(client.project(PROJECT), items, claims=claims, name=name, **options))


def applied(outcomes: list[Any]) -> list[str]:
    """Return how the rows ended, in their order."""
    return [outcome.applied for outcome in sorted(outcomes, key=lambda outcome: outcome.row)]


def test_two_runs_at_once_share_the_batches(tmp_path, ledger):
    """A run that began while another one has half of the batches sends the other half; what it cannot know is unknown."""
    with Client(URL, token="t", transport=Transport(ledger)) as client:
        first = bulk.partition(client.project(PROJECT), creates(200), claims=tmp_path, name="p0", most=4)
        outcomes = [next(first) for _ in range(70)]
        second = send(ledger, tmp_path, creates(200))
        outcomes += list(first)

    assert set(ledger.created.values()) == {1}
    assert len(ledger.created) == 200
    assert applied(outcomes) == ["yes"] * 200
    assert set(applied(second)) <= {"yes", "unknown"}
    assert 0 < applied(second).count("yes") < 200
    assert bulk.gather(tmp_path, tmp_path / "journal").counts["yes"] == 200


@pytest.mark.parametrize("settle", [False, True])
def test_a_change_that_two_runs_send_at_once_is_no_plain_conflict(tmp_path, ledger, settle):
    """The run that began first gets the conflict, and the other one has applied the change."""
    items, others = changes(ledger, 3), []

    def second_run_first(request):
        ledger.before = lambda request: None
        ledger.lock.release()
        others.extend(send(ledger, tmp_path, items))
        ledger.lock.acquire()

    ledger.before = second_run_first
    first = send(ledger, tmp_path, items, most=1, settle=settle)

    assert applied(others) == ["yes"] * 3
    assert applied(first) == ["in effect" if settle else "unknown"] * 3
    assert bulk.gather(tmp_path, tmp_path / "journal").counts["yes"] == 3


def test_rows_that_a_task_did_not_send_are_sent_by_the_next(tmp_path, ledger):
    """A task that ends with an error gives its rows back, and only one of the next tasks claims them."""
    refused = iter([True] * 50)
    ledger.before = lambda request: json_response(401) if len(ledger.created) == 3 and next(refused, False) else None
    with pytest.raises(AuthenticationError):
        send(ledger, tmp_path, creates(30), most=1)
    ledger.before = lambda request: None

    second = send(ledger, tmp_path, creates(30))

    assert applied(second) == ["yes"] * 30
    assert applied(send(ledger, tmp_path, creates(30))) == ["yes"] * 30
    assert set(ledger.created.values()) == {1}
    assert bulk.gather(tmp_path, tmp_path / "journal").counts["yes"] == 30


def test_a_row_that_cannot_be_sent_ends_as_no(tmp_path, ledger):
    """As in a run without partitions. An engine would send the rows after it never, however often it runs the task again."""
    deals = [{"id": f"crm-{n}", "rate": math.nan if n == 70 else n} for n in range(80)] + [{"rate": 1}]

    def creates():
        with Client(URL, token="t") as client:
            return client.project(PROJECT).records.creates(deals, type_slug="deal", external_id_column="id")

    for _ in range(2):
        outcomes = send(ledger, tmp_path, creates())
        assert applied(outcomes) == [*["yes"] * 70, "no", *["yes"] * 9, "no"]
        assert "row 70" in next(outcome.error for outcome in outcomes if outcome.row == 70)
    assert len(ledger.created) == 79
    assert bulk.gather(tmp_path, tmp_path / "journal").counts["no"] == 2


def test_other_rows_for_the_same_claims_are_refused(tmp_path, ledger):
    """The position and the digest of a row identify it."""
    send(ledger, tmp_path, creates(10))

    with pytest.raises(InputChangedError, match="partition p0"):
        send(ledger, tmp_path, creates(20, start=5))


def test_partitions_are_gathered_in_the_order_of_their_names(tmp_path, ledger):
    """The journal has all that reports and the command need."""
    send(ledger, tmp_path / "claims", creates(70), name="p0")
    send(ledger, tmp_path / "claims", creates(75, start=70), name="p1")

    report = bulk.gather(tmp_path / "claims", tmp_path / "journal")

    assert [row.key for row in report.rows("yes")] == [f"crm-{i}" for i in range(75)]
    with pytest.raises(UsageError, match="exists"):
        bulk.gather(tmp_path / "claims", tmp_path / "journal")


def test_no_row_of_a_half_written_claim_is_missing_in_the_report(tmp_path, ledger):
    """Only its task knows its rows, so the task has to run again before the outcomes are gathered."""
    claims, journal = tmp_path / "claims", tmp_path / "journal"
    send(ledger, claims, creates(150))
    half = claims / "p0" / "0000001"
    for file in half.glob("*.jsonl"):
        file.unlink()
    (half / "claim").write_bytes(b'{"own')

    with pytest.raises(JournalError, match="run the task of partition p0 again"):
        bulk.gather(claims, journal)
    assert not journal.exists()
    send(ledger, claims, creates(150))
    report = bulk.gather(claims, journal)

    assert (report.counts["yes"], report.counts["unknown"]) == (150 - 64, 64)
    assert [row.key for row in report.unknown()] == [f"crm-{i}" for i in range(64, 128)]
    assert set(ledger.created.values()) == {1}


def test_a_row_that_was_given_back_and_claimed_by_a_killed_task_is_unknown(tmp_path, ledger):
    """The first task did not send it, and the second one may have."""
    ledger.before = lambda request: json_response(401)
    with pytest.raises(AuthenticationError):
        send(ledger, tmp_path, creates(3))
    ledger.before = lambda request: None
    send(ledger, tmp_path, creates(3))
    for file in tmp_path.glob("p0/0000000.1/*.jsonl"):
        file.unlink()

    assert bulk.gather(tmp_path, tmp_path / "journal").counts["unknown"] == 3


def test_a_partition_has_a_name_without_slashes(tmp_path, ledger):
    with pytest.raises(UsageError, match="name"):
        send(ledger, tmp_path, [], name="a/b")
