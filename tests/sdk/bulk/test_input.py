"""From files, tables and rows to calls; rows that the client refuses; and an input that is slower than the service."""

from __future__ import annotations

import csv
import dataclasses
import datetime
import io
import json
import math
import sqlite3
import threading
import time
from decimal import Decimal
from typing import Any

import anyio
import anyio.to_thread
import pandas
import polars
import pyarrow
import pytest

from project_platform import AsyncClient, BulkReport, UsageError, bulk
from project_platform.calls.headers import Headers
from project_platform.calls.operation import Response
from project_platform.models import ObjectRecord

from .conftest import URL
from .ledger import PROJECT, AsyncTransport, Ledger
from .rows import applied, creates, wait_until

TABLE = [{"id": "17", "Name": "Roof", "City": None}, {"id": "18", "City": "Ulm", "Name": "Solar", "More": "x"}]


class Result(list[dict[str, Any]]):
    """Rows like those of a database library, whose columns are a method."""

    def columns(self, *names: str) -> None:
        """Select columns."""


RECORDS = {
    "columns are renamed, the identifier is not data, and a missing cell is left out: null would delete": (
        TABLE,
        {"type_slug": "deal", "external_id_column": "id", "columns": {"Name": "title", "City": "city"}},
        [
            {"typeSlug": "deal", "externalId": "17", "data": {"title": "Roof"}},
            {"typeSlug": "deal", "externalId": "18", "data": {"title": "Solar", "city": "Ulm"}},
        ],
    ),
    "all columns are sent by default": (
        [{"a": 1, "b": None, "c": [1]}],
        {"type_slug": "deal"},
        [{"typeSlug": "deal", "data": {"a": 1, "c": [1]}}],
    ),
    "rows may be the arguments of the operation": (
        [{"type_slug": "deal", "external_id": "x", "data": {"a": 1}, "relations": None}],
        {},
        [{"typeSlug": "deal", "externalId": "x", "data": {"a": 1}}],
    ),
    "rows whose columns are no list have no header": (
        Result([{"Name": "Roof"}]),
        {"type_slug": "deal", "columns": {"Name": "title"}},
        [{"typeSlug": "deal", "data": {"title": "Roof"}}],
    ),
    "the column of the identifier is data if it is named": (
        [{"id": 7, "Name": "Roof"}],
        {"type_slug": "deal", "external_id_column": "id", "columns": {"id": "number", "Name": "title"}},
        [{"typeSlug": "deal", "externalId": "7", "data": {"number": 7, "title": "Roof"}}],
    ),
}


@pytest.mark.parametrize(("rows", "options", "expected"), RECORDS.values(), ids=RECORDS)
def test_rows_become_records(project, rows, options, expected):
    assert [json.loads(call.body) for call in project.records.creates(rows, **options)] == expected


FRAME = pandas.DataFrame(
    {"id": [17, None], "Name": ["Roof", "Solar"]}
)  # a column of integers with a gap is one of floats
REFUSED = {
    "an argument that does not exist": (
        [{"typeSlug": "deal"}],
        {},
        "row 0 has typeSlug; the arguments are type_slug, data",
    ),
    "an argument that is missing": ([{"data": {}}], {}, r"row 0 lacks type_slug$"),
    "a column without a type": ([], {"external_id_column": "id"}, "give type_slug as well"),
    "an identifier that became a float": (
        FRAME,
        {"type_slug": "deal", "external_id_column": "id"},
        r"row 0 has the number 17.0 in 'id', .* with dtype=str",
    ),
    "a row without any of the columns, which is probably that of another table": (
        [{"id": 1}, {"Title": "Roof"}],
        {"type_slug": "deal", "columns": {"id": "n"}},
        "row 1 has none of the columns id; it has Title",
    ),
}


@pytest.mark.parametrize(("rows", "options", "message"), REFUSED.values(), ids=REFUSED)
def test_what_cannot_be_a_record_is_refused_with_its_row(project, rows, options, message):
    with pytest.raises(UsageError, match=message):
        list(project.records.creates(rows, **options))


def test_records_and_edits_become_changes(project):
    record = ObjectRecord(id="rec_1", data={"stage": "open"})
    changes = project.records.changes([(record, {"stage": "won"}), (ObjectRecord(id="rec_2"), {"stage": "won"})])

    first = next(changes)
    assert (first.record_id, first.patch, first.guard, first.project_id) == (
        "rec_1",
        {"stage": "won"},
        {"stage": "open"},
        project.id,
    )
    with pytest.raises(UsageError, match="row 1: record rec_2 has no data"):
        next(changes)


@pytest.mark.parametrize("frame", [list, pandas.DataFrame])
def test_rows_become_bookings(project, frame):
    (call,) = project.calendar.bookings(frame([{"start": "2026-11-20T09:00:00Z", "summary": "Visit", "end": None}]))

    assert call.operation.id == "calendar_book"
    assert json.loads(call.body) == {"start": "2026-11-20T09:00:00Z", "summary": "Visit"}


@pytest.mark.parametrize(
    ("text", "options", "rows"),
    [
        (  # a byte order mark is no part of the first name, and an empty cell no value
            '\ufeffName;City;n\r\n"Roof; ""new""";;1\r\nSolar;"Ulm\nDonau";2\r\n',
            {"delimiter": ";"},
            [{"Name": 'Roof; "new"', "n": "1"}, {"Name": "Solar", "City": "Ulm\nDonau", "n": "2"}],
        ),
        (  # spreadsheets write rows without a cell at the end
            "Name,City\nRoof,Ulm\n,\n\nSolar,\n,\n",
            {},
            [{"Name": "Roof", "City": "Ulm"}, {"Name": "Solar"}],
        ),
        ("Name,City,\nRoof,Ulm,\n", {}, [{"Name": "Roof", "City": "Ulm"}]),  # lines that end with a delimiter
    ],
)
def test_a_csv_file_is_read(tmp_path, text, options, rows):
    (tmp_path / "deals.csv").write_bytes(text.encode())

    assert list(bulk.csv(tmp_path / "deals.csv", **options)) == rows


def test_a_column_that_is_not_in_the_header_is_refused(project, tmp_path):
    """A misspelt name would leave its values out of every record."""
    (tmp_path / "deals.csv").write_text("id,Name\n1,Roof\n")
    columns = {"id": ["1"], "Name": ["Roof"]}
    tables: list[Any] = [bulk.csv(tmp_path / "deals.csv"), csv.DictReader(["id,Name", "1,Roof"])]
    tables += [pandas.DataFrame(columns), polars.DataFrame(columns), bulk.arrow(pyarrow.table(columns))]

    for rows in tables:
        with pytest.raises(UsageError, match="there is no column 'Nmae'; the columns are 'id', 'Name'"):
            project.records.creates(rows, type_slug="deal", external_id_column="id", columns={"Nmae": "title"})
        with pytest.raises(UsageError, match="there is no column 'key'"):
            project.records.creates(rows, type_slug="deal", external_id_column="key")


def test_json_lines_keep_the_digits_of_numbers(project, tmp_path):
    file = tmp_path / "deals.jsonl"
    file.write_text('{"data": {"amount": 12345678901234.12345}}\n\n{"data": {}}\n')

    calls = project.records.creates({"type_slug": "deal", **row} for row in bulk.jsonl(file))

    assert [call.body for call in calls] == [
        b'{"typeSlug":"deal","data":{"amount":12345678901234.12345}}',
        b'{"typeSlug":"deal","data":{}}',
    ]


@dataclasses.dataclass
class Deal:
    """A record class, as `records.of` takes it."""

    title: str
    amount: float
    won: bool | None = None
    parts: int = 0
    tags: list[int] | None = None


TYPES = {"amount": "number", "won": "boolean", "parts": "integer"}


@pytest.mark.parametrize("types", [TYPES, Deal])
def test_the_cells_of_a_csv_file_have_types(project, tmp_path, types):
    """Numbers keep their digits. Without types, all are texts."""
    file = tmp_path / "deals.csv"
    file.write_text("title,amount,won,parts,tags\nRoof,5926.4100000000000001,true,3,7\nSolar,-1e3,,,\n")

    calls = project.records.creates(bulk.csv(file, types=types), type_slug="deal")

    assert [call.body for call in calls] == [
        b'{"typeSlug":"deal","data":{"title":"Roof","amount":5926.4100000000000001,"won":true,"parts":3,"tags":"7"}}',
        b'{"typeSlug":"deal","data":{"title":"Solar","amount":-1e3}}',
    ]
    texts = {"title": "Roof", "amount": "5926.4100000000000001", "won": "true", "parts": "3", "tags": "7"}
    assert next(bulk.csv(file)) == texts


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("Name;City\nRoof;Ulm\n", {}, "has no ',' and is 'Name;City'; give the delimiter, which may be ';'"),
        ("Name,City,Name\nRoof,Ulm,x\n", {}, "repeats the column 'Name'"),
        ("", {}, "has no header"),
        (",,\n", {}, "has no header"),
        (",Name,City\n0,Roof,Ulm\n", {}, "has a column without a name; name it, or write the file without it"),
        ("Na\xefve,City\n", {}, "is not in utf-8-sig after line 0"),
        ("Name\nRoof\n", {"encoding": "no-such"}, "unknown encoding"),
        ("amount\n1\n", {"types": {"amuont": "number"}}, "no column 'amuont'"),
        ("amount\n1\n", {"types": {"amount": "money"}}, "no type 'money'"),
        (
            "amount\n1\n",
            {"types": type("Local", (), {"__annotations__": {"amount": "Absent"}})},
            "give a dict of columns",
        ),
        ("row,key,applied,record_id,error\n0,crm-0,no,,x\n", {}, "is a report without the values of its rows"),
        ("id,row,key,applied,record_id,error\n", {}, "not as a report has them, so they would be sent"),
        ("row,bulk_key,applied,key\nid", {}, "let its first columns be row, key, applied, record_id, error"),
    ],
)
def test_a_csv_file_whose_header_or_types_cannot_be_right_is_refused(tmp_path, text, options, message):
    """Before the first row is sent: it would be a record without its values."""
    file = tmp_path / "deals.csv"
    file.write_bytes(text.encode("latin-1"))

    with pytest.raises(UsageError, match=message):
        bulk.csv(file, **options)


def test_a_report_from_a_pipe_is_not_read_in_the_encoding_of_its_input():
    with pytest.raises(UsageError, match="is a report, which is in UTF-8; leave the encoding out"):
        bulk.csv(io.StringIO("row,key,applied,record_id,error,Name\n"), encoding="cp1252")


@pytest.mark.parametrize(
    ("read", "row", "message"),
    [
        (bulk.csv, "Solar, new,Ulm", r"line 2 of .*deals has more cells than the header"),
        (lambda file: bulk.csv(file, types={"a": "number"}), '"5.926,41",', "line 2 of .*not a number"),
        (lambda file: bulk.csv(file, types={"a": "boolean"}), "yes,", "line 2 of .*neither true nor false"),
        (lambda file: bulk.csv(file, types={"a": "integer"}), "1.5,", "line 2 of .*not an integer"),
        (lambda file: bulk.csv(file, types={"a": "integer"}), "1_000,", "line 2 of .*not an integer"),
        (bulk.jsonl, "{", "line 2 of .* is not JSON"),
        (bulk.jsonl, "[1]", "line 2 .* not a JSON object"),
    ],
)
def test_a_row_of_a_file_that_cannot_be_right_is_refused_with_its_line(tmp_path, read, row, message):
    """The rows before it and after it are read."""
    file, is_csv = tmp_path / "deals", read is not bulk.jsonl
    file.write_text(f"a,b\n{row}\n,x\n" if is_csv else f'{{"b": "w"}}\n{row}\n{{"b": "x"}}\n')
    rows = read(file)
    if not is_csv:
        assert next(rows) == {"b": "w"}

    with pytest.raises(UsageError, match=message):
        next(rows)
    assert list(rows) == [{"b": "x"}]


@pytest.mark.parametrize("way", ["asyncio", "trio"])
def test_cancellation_lets_rows_in_flight_end(run, ledger):
    """A timeout around a run leaves nothing in doubt."""
    ledger.plan.latency = 0.02

    async def main():
        with anyio.CancelScope() as scope:
            async with AsyncClient(URL, token="t", transport=AsyncTransport(ledger)) as client:
                async with client.project(PROJECT).bulk(run.path) as job:
                    async for outcome in job.stream(creates(500)):
                        if outcome.row >= 20:
                            scope.cancel()

    anyio.run(main, backend=run.way)

    counts = BulkReport(run.path).counts
    assert counts["in doubt"] == counts["unknown"] == 0
    assert counts["yes"] == len(ledger.created) < 500
    assert run(creates(500)).counts == {"yes": 500}
    assert set(ledger.created.values()) == {1}


@pytest.fixture
def records(sync_project):
    return sync_project.records


CREATED = {"type_slug": "deal", "external_id_column": "id"}
REFUSED_ROWS = {
    "NaN": {"id": "crm-1", "n": math.nan},
    "a date without zone": {"id": "crm-1", "at": datetime.datetime(2026, 11, 25)},
    "a lone surrogate": {"id": "crm-1", "name": "\ud800"},
    "no identifier": {"n": 1},
    "an empty one, as `csv.DictReader` has it": {"id": "", "n": 1},
    "an identifier that is no text": {"id": 1.5, "n": 1},
    "a list": ["crm-1", 1],
}


@pytest.mark.parametrize("refused", REFUSED_ROWS.values(), ids=REFUSED_ROWS)
def test_a_row_that_cannot_be_sent_ends_as_no_with_the_reason(run, ledger, records, refused):
    """As one that the service refuses; the next run does not send it either, until it is corrected."""
    rows = [{"id": f"crm-{i}", "n": i} for i in range(5)]
    rows[1] = refused

    ran = run(records.creates(rows, **CREATED))
    again = run(records.creates(rows, **CREATED))

    assert ran.error is None
    assert ran.counts == again.counts == {"yes": 4, "no": 1}
    (failed,) = ran.report.failed()
    assert failed.row == 1
    assert failed.error.startswith("UsageError: row 1")
    rows[1] = {"id": "crm-1", "n": 1}
    assert run(records.creates(rows, **CREATED)).counts == {"yes": 5}
    assert ledger.created == {f"crm-{i}": 1 for i in range(5)}


def test_a_run_may_stop_at_a_row_that_cannot_be_sent(run, ledger, records):
    rows = [{"id": "crm-0"}, {"id": "crm-1", "n": math.nan}, {"id": "crm-2"}]

    ran = run(records.creates(rows, **CREATED), stop_on_invalid=True)

    assert isinstance(ran.error, UsageError)
    assert ran.counts == {"yes": 1}


def test_a_file_that_cannot_be_read_ends_the_run(run, records, tmp_path):
    (tmp_path / "deals.csv").write_bytes(b"id\n" + b"".join(b"%d\n" % i for i in range(3000)) + b"M\xfc\n")

    ran = run(records.creates(bulk.csv(tmp_path / "deals.csv"), **CREATED))

    assert isinstance(ran.error, UsageError)
    assert "give its encoding" in str(ran.error)


def test_rows_are_sent_and_ended_in_the_journal_while_the_input_blocks(run, path):
    """A kill while the input waits leaves nothing in doubt. The outcomes that are there are yielded before the next row is read."""
    seen, outcomes = [], []

    def rows():
        for number, row in enumerate(creates(20)):
            if number in {1, 3, 19}:
                seen.append((number, wait_until(lambda n=number: applied(path) == n)))
            if number in {1, 3}:
                time.sleep(
                    1
                )  # an outcome is handed over just after its commit, and this thread is the one that takes it
            if number in {2, 4}:
                seen.append((number, wait_until(lambda n=number: len(outcomes) >= n - 1)))
            yield row

    async def arriving():
        left = rows()
        while (row := await anyio.to_thread.run_sync(next, left, None)) is not None:
            yield row

    ran = run(rows() if run.way == "sync" else arriving(), outcomes.append)

    assert seen == [(1, True), (2, True), (3, True), (4, True), (19, True)]
    assert ran.counts == {"yes": 20}


def test_an_input_is_read_in_the_thread_of_the_caller(run):
    """A cursor of SQLite, as of other databases, belongs to its thread."""
    db = sqlite3.connect(":memory:")
    calls = creates(3)

    def rows():
        for _ in db.execute("select 1 union select 2 union select 3"):
            assert threading.current_thread() is threading.main_thread()
            yield next(calls)

    assert run(rows()).counts == {"yes": 3}
    db.close()


ENDS = [(True, error) for error in (None, RuntimeError, SystemExit, KeyboardInterrupt)]
ENDS += [(False, None), (False, RuntimeError)]


@pytest.mark.usefixtures("deadline")
@pytest.mark.parametrize("way", ["asyncio", "trio"])
@pytest.mark.parametrize("number", [0, 3, 8, 20])
@pytest.mark.parametrize(("asynchronous", "error"), ENDS)
def test_a_run_under_a_plain_event_loop_ends(run, ledger, asynchronous, number, error):
    """A task sends each row, whether there are fewer than the window of 8, as many, or more; the service is faster than the input.

    Any exception of the input is raised after the rows before it ended. In its own task, one of asyncio would end the event loop.
    """
    ledger.plan.latency = 0.02 if error else 0.0  # rows are in flight

    def rows():
        yield from creates(number)
        if error is not None:
            raise error

    async def slowly():
        for row in rows():
            await anyio.sleep(0.005)
            yield row

    ran = run(slowly() if asynchronous else rows(), most=8)

    assert ran.counts == ({"yes": number} if number else {})
    assert type(ran.error) is (error or type(None))


@pytest.fixture
def table():
    """Two rows, the second with missing cells."""
    pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")
    return pyarrow.table({"id": ["a", "b"], "price": [Decimal("1.20"), None], "tags": [["x"], None]})


@pytest.mark.parametrize("name", [None, "deals.parquet", "deals.arrow"])
def test_a_table_or_a_file_is_read_row_by_row(tmp_path, table, name):
    """A null is left out, since null deletes; a number keeps its digits."""
    from pyarrow import feather, parquet

    if name is not None:
        (parquet.write_table if name.endswith("parquet") else feather.write_feather)(table, tmp_path / name)

    rows = list(bulk.arrow(table if name is None else tmp_path / name))

    assert rows == [{"id": "a", "price": Decimal("1.20"), "tags": ["x"]}, {"id": "b"}]


def test_a_stream_is_read_as_fast_as_its_rows(table):
    from pyarrow import RecordBatchReader

    read = []

    def batches():
        for number in range(10):
            read.append(number)
            yield from table.to_batches()

    rows = bulk.arrow(RecordBatchReader.from_batches(table.schema, batches()))
    next(rows)

    assert len(read) < 5


@pytest.mark.parametrize("source", [3, [datetime.date(2026, 1, 1)], "deals.xlsx"])
def test_what_is_no_table_is_refused(source):
    """The message says what to give."""
    with pytest.raises(UsageError, match=r"Parquet or Arrow file"):
        bulk.arrow(source)


class Labels(Ledger):
    """A service that returns a PDF, except for one month."""

    def handle(self, request):
        self.log.append(request.body.decode())
        if b"2026-02" in request.body:
            return Response(422, Headers({"content-type": "application/json"}), b'{"message": "no menu"}')
        return Response(200, Headers({"content-type": "application/pdf"}), b"%PDF-1.7 labels")


def test_labels_of_months_are_written_to_files(tmp_path, run, sync_project):
    """A month that ended is not exported again, and one that failed leaves no file."""
    run.ledger = ledger = Labels()
    folder, months = tmp_path / "labels", ["2026-01", "2026-02", "2026-03"]
    folder.mkdir()

    for _ in range(2):
        ran = run(sync_project.labels.exports(months, folder))

    rows = {row.key: row.applied for row in ran.report.rows()}
    assert rows == {"2026-01": "yes", "2026-02": "no", "2026-03": "yes"}
    assert sorted(file.name for file in folder.iterdir()) == ["labels-2026-01.pdf", "labels-2026-03.pdf"]
    assert (folder / "labels-2026-01.pdf").read_bytes() == b"%PDF-1.7 labels"
    assert len(ledger.log) == 3


@pytest.mark.parametrize(
    ("months", "folder", "message"),
    [
        (["../2026-01"], "", "separator"),
        ("2026-01", "", "give a list of months"),
        (["2026-01"], "absent", "there is no folder .*; create it first"),
    ],
)
def test_what_cannot_be_exported_is_refused_before_anything_is_sent(tmp_path, sync_project, months, folder, message):
    with pytest.raises(UsageError, match=message):
        list(sync_project.labels.exports(months, tmp_path / folder))
