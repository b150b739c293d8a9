"""Reports that are written to files, with the values of the input."""

from __future__ import annotations

import csv
import datetime as dt
import functools
import io
import json
import math
from decimal import Decimal

import pandas
import pytest

from project_platform import UsageError, bulk, operations
from project_platform.bulk.journal import ClosedJournal

from .ledger import PROJECT, json_response

TEXT = "key,id,title\n1,crm-0,Roof\n2,crm-1,\n3,crm-2,Facade\n4,crm-3,Attic\n"


@pytest.fixture
def input_path(tmp_path):
    """The input: a CSV file of four deals."""
    (tmp_path / "deals.csv").write_text(TEXT)
    return tmp_path / "deals.csv"


@pytest.fixture
def report(tmp_path, input_path, ledger, sync_project):
    """The report of a run in which the service refused the rows 1 and 3."""
    ledger.before = lambda request: json_response(400) if b"crm-1" in request.body or b"crm-3" in request.body else None
    calls = (
        operations.records_create(PROJECT, type_slug="deal", external_id=row["id"], data=row)
        for row in bulk.csv(input_path)
    )
    with sync_project.bulk(tmp_path / "report.journal", progress=False) as job:
        return job.run(calls)


def saved(report, path, **options):
    """Save the rows that failed, and read them again."""
    number = report.save(path, "no", **options)
    with path.open(newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == number
    return rows


def test_failed_rows_are_written_with_the_values_of_the_input(report, tmp_path, input_path):
    """They can be corrected in the file, and sent; a column of the input keeps its name."""
    rows = saved(report, tmp_path / "failed.csv", rows=bulk.csv(input_path))

    assert list(rows[0]) == ["row", "bulk_key", "applied", "record_id", "error", "key", "id", "title"]
    values = [(row["row"], row["bulk_key"], row["applied"], row["key"], row["id"], row["title"]) for row in rows]
    assert values == [("1", "crm-1", "no", "2", "crm-1", ""), ("3", "crm-3", "no", "4", "crm-3", "Attic")]
    assert all("400" in row["error"] for row in rows)


def test_the_values_of_an_input_without_a_header_are_json(report, tmp_path, input_path):
    """Its mappings may have different and nested members."""
    given = ({"nested": {"id": [row["id"]]}, **row} for row in bulk.csv(input_path))

    rows = saved(report, tmp_path / "failed.csv", rows=given)

    assert list(rows[0]) == ["row", "key", "applied", "record_id", "error", "input"]
    assert json.loads(rows[0]["input"]) == {"nested": {"id": ["crm-1"]}, "key": "2", "id": "crm-1"}


@pytest.mark.parametrize("read", [pandas.read_csv, lambda path: csv.DictReader(io.StringIO(path.read_text()))])
def test_a_report_that_another_library_reads_is_refused(run, input_path, report, sync_project, read):
    """Its columns would be sent as data."""
    failed = input_path.with_name("failed.csv")
    report.save(failed, "no", rows=bulk.csv(input_path))

    ran = run(sync_project.records.creates(read(failed), type_slug="deal"))

    assert "read it with bulk.csv" in str(ran.error)


def test_a_frame_continues_after_a_row_of_its_report_was_sent(run, ledger, tmp_path, sync_project):
    """Dates and decimal numbers are texts and numbers of JSON in the report; the rows are the same."""
    rows = [{"id": name, "at": dt.date(2026, 1, 1), "rate": Decimal("1.50")} for name in "abc"]
    creates = functools.partial(sync_project.records.creates, type_slug="deal", external_id_column="id")
    ledger.before = lambda request: json_response(400) if b'"a"' in request.body else None
    first = run(creates(pandas.DataFrame(rows[:2])))
    first.report.save(tmp_path / "failed.csv", "no", rows=pandas.DataFrame(rows[:2]))
    ledger.before = lambda request: None

    counts = [
        run(creates(given), retry_failed=True).counts
        for given in (bulk.csv(tmp_path / "failed.csv"), pandas.DataFrame(rows))
    ]

    assert counts == [{"yes": 2}, {"yes": 3}]
    assert set(ledger.created.values()) == {1}


def test_a_report_of_some_rows_does_not_complete_the_input(run, ledger, tmp_path, sync_project):
    """The rows that were never read are not in the journal, so its numbers do not show them."""
    path, failed = tmp_path / "deals.csv", tmp_path / "failed.csv"
    path.write_text(TEXT)
    creates = functools.partial(sync_project.records.creates, type_slug="deal", external_id_column="id")
    ledger.before = lambda request: json_response(400)
    first = run(creates(bulk.csv(path)), lambda outcome: "break", most=1)
    first.report.save(failed, "no", rows=bulk.csv(path))
    ledger.before = lambda request: None

    complete = []
    for given in (failed, path, failed):
        run(creates(bulk.csv(given)), retry_failed=True)
        complete.append(ClosedJournal(run.path).complete)

    assert complete == [False, True, True]


def test_cells_of_json_keep_their_texts(run, ledger, tmp_path, sync_project):
    """Those of rows that were sent, and of rows that the file refuses for another cell."""
    path, failed = tmp_path / "deals.csv", tmp_path / "failed.csv"
    path.write_text('id,meta,amount\na,"""7""",1\nb,"""true""",many\nc,null,1\n')
    read = functools.partial(bulk.csv, types={"meta": "json", "amount": "integer"})
    ledger.before = lambda request: json_response(400)
    first = run(sync_project.records.creates(read(path), type_slug="deal", external_id_column="id"))
    first.report.save(failed, "no", rows=read(path))
    failed.write_text(failed.read_text().replace(",many", ",1"))

    assert [row["meta"] for row in read(failed)] == ["7", "true", None]


def test_values_of_a_frame_that_are_not_json_are_refused_until_they_are_corrected(run, tmp_path, sync_project):
    """As text they would be sent. Gaps are left out, as from the frame."""
    times = [None, pandas.Timestamp("2026-01-01")]
    frame = pandas.DataFrame({"id": ["a", "b"], "rate": [math.inf, math.nan], "at": pandas.to_datetime(times)})
    path, creates = tmp_path / "failed.csv", sync_project.records.creates
    first = run(creates(frame, type_slug="deal", external_id_column="id"))
    rows = saved(first.report, path, rows=frame)
    again = run(creates(bulk.csv(path), type_slug="deal", external_id_column="id"))
    path.write_text(path.read_text().replace("<inf>", "1.5").replace("<2026-01-01 00:00:00>", "null"))
    corrected = run(creates(bulk.csv(path), type_slug="deal", external_id_column="id"))

    assert [row["input"] for row in rows] == ['{"id": "a", "rate": <inf>}', '{"id": "b", "at": <2026-01-01 00:00:00>}']
    assert again.counts == {"no": 2}
    assert corrected.counts == {"yes": 2}, corrected.error


@pytest.mark.parametrize(
    ("given", "message"),
    [
        (lambda rows: [rows[1], rows[0], *rows[2:]], "row 1 of the input has no value 'crm-1'"),
        (lambda rows: (row for row in rows[:3]), "there is no row 3 in the input"),
        (lambda rows: [*"abcd"], "row 1 of the input is of type str; give mappings"),
    ],
)
def test_another_input_is_refused(report, tmp_path, input_path, given, message):
    """Otherwise the error of a row would stand beside the values of another one. No file is written."""
    with pytest.raises(UsageError, match=message):
        report.save(tmp_path / "failed.csv", rows=given([*bulk.csv(input_path)]))

    assert not (tmp_path / "failed.csv").exists()


def test_an_input_that_has_lost_a_row_that_was_sent_is_refused(run, tmp_path, sync_project):
    """Without identifiers, the report would have another row's values, and its run send them."""
    rows = [{"title": "Roof"}, {"title": math.nan}, {"title": "Attic"}]
    first = run(sync_project.records.creates(rows, type_slug="deal"))
    assert first.counts == {"yes": 2, "no": 1}

    with pytest.raises(UsageError, match="the input has 2 rows, and the journal has 3"):
        first.report.save(tmp_path / "failed.csv", rows=rows[1:])

    assert not (tmp_path / "failed.csv").exists()
