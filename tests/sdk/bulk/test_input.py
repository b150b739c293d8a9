"""From files and rows to calls."""

from __future__ import annotations

import csv
import dataclasses
import json

import anyio
import pytest

from project_platform import AsyncClient, BulkReport, UsageError, bulk
from project_platform.models import ObjectRecord

from .ledger import PROJECT, AsyncTransport
from .rows import creates

TABLE = [{"id": "17", "Name": "Roof", "City": None}, {"id": "18", "City": "Ulm", "Name": "Solar", "More": "x"}]
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
}


@pytest.mark.parametrize(("rows", "options", "expected"), RECORDS.values(), ids=RECORDS)
def test_rows_become_records(project, rows, options, expected):
    assert [json.loads(call.body) for call in project.records.creates(rows, **options)] == expected


def test_an_argument_that_does_not_exist_or_is_missing_is_refused_with_its_row(project):
    with pytest.raises(UsageError, match="row 0 has typeSlug; the arguments are type_slug, data"):
        next(project.records.creates([{"typeSlug": "deal"}]))
    with pytest.raises(UsageError, match=r"row 0 lacks type_slug$"):
        next(project.records.creates([{"data": {}}]))
    with pytest.raises(UsageError, match="give type_slug as well"):
        project.records.creates([], external_id_column="id")


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


def test_rows_become_bookings(project):
    (call,) = project.calendar.bookings([{"start": "2026-11-20T09:00:00Z", "summary": "Visit", "end": None}])

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
    ],
)
def test_a_csv_file_is_read(tmp_path, text, options, rows):
    (tmp_path / "deals.csv").write_bytes(text.encode())

    assert list(bulk.csv(tmp_path / "deals.csv", **options)) == rows


def test_a_column_that_is_not_in_the_header_is_refused(project, tmp_path):
    """A misspelt name would leave its values out of every record."""
    (tmp_path / "deals.csv").write_text("id,Name\n1,Roof\n")
    tables = [bulk.csv(tmp_path / "deals.csv"), csv.DictReader(["id,Name", "1,Roof"])]

    for rows in tables:
        with pytest.raises(UsageError, match="there is no column 'Nmae'; the columns are 'id', 'Name'"):
            project.records.creates(rows, type_slug="deal", external_id_column="id", columns={"Nmae": "title"})
        with pytest.raises(UsageError, match="there is no column 'key'"):
            project.records.creates(rows, type_slug="deal", external_id_column="key")


def test_a_row_without_any_of_the_columns_is_refused(project):
    """Mappings have no header; a row that has nothing to send is probably that of another table."""
    calls = project.records.creates([{"id": 1}, {"Title": "Roof"}], type_slug="deal", columns={"id": "n"})

    next(calls)
    with pytest.raises(UsageError, match="row 1 has none of the columns id; it has Title"):
        next(calls)


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


TYPES = {"amount": "number", "won": "boolean", "parts": "integer"}


@pytest.mark.parametrize("types", [TYPES, Deal])
def test_the_cells_of_a_csv_file_have_types(project, tmp_path, types):
    """Numbers keep their digits. Without types, all are texts."""
    file = tmp_path / "deals.csv"
    file.write_text("title,amount,won,parts\nRoof,5926.4100000000000001,true,3\nSolar,-1e3,,\n")

    calls = project.records.creates(bulk.csv(file, types=types), type_slug="deal")

    assert [call.body for call in calls] == [
        b'{"typeSlug":"deal","data":{"title":"Roof","amount":5926.4100000000000001,"won":true,"parts":3}}',
        b'{"typeSlug":"deal","data":{"title":"Solar","amount":-1e3}}',
    ]
    assert next(bulk.csv(file)) == {"title": "Roof", "amount": "5926.4100000000000001", "won": "true", "parts": "3"}


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        ("Name;City\nRoof;Ulm\n", {}, "has no ',' and is 'Name;City'; give the delimiter, which may be ';'"),
        ("Name,City,Name\nRoof,Ulm,x\n", {}, "repeats the column 'Name'"),
        ("", {}, "has no header"),
        ("Na\xefve,City\n", {}, "is not in utf-8-sig after line 0"),
        ("Name\nRoof\n", {"encoding": "no-such"}, "unknown encoding"),
        ("amount\n1\n", {"types": {"amuont": "number"}}, "no column 'amuont'"),
        ("amount\n1\n", {"types": {"amount": "money"}}, "no type 'money'"),
        ("row,key,applied,record_id,error\n0,crm-0,no,,x\n", {}, "is a report without the values of its rows"),
    ],
)
def test_a_csv_file_whose_header_or_types_cannot_be_right_is_refused(tmp_path, text, options, message):
    """Before the first row is sent: it would be a record without its values."""
    file = tmp_path / "deals.csv"
    file.write_bytes(text.encode("latin-1"))

    with pytest.raises(UsageError, match=message):
        bulk.csv(file, **options)


@pytest.mark.parametrize(
    ("read", "row", "message"),
    [
        (bulk.csv, "Solar, new,Ulm", r"line 2 of .*deals has more cells than the header"),
        (lambda file: bulk.csv(file, types={"a": "number"}), '"5.926,41",', "line 2 of .*not a number"),
        (lambda file: bulk.csv(file, types={"a": "boolean"}), "yes,", "line 2 of .*neither true nor false"),
        (lambda file: bulk.csv(file, types={"a": "integer"}), "1.5,", "line 2 of .*not an integer"),
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
            async with AsyncClient("https://platform.example", token="t", transport=AsyncTransport(ledger)) as client:
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
