"""Rows of Arrow tables for bulk runs, and exports of labels to files."""

from __future__ import annotations

import datetime
from decimal import Decimal

import pytest

from project_platform import Client, UsageError, bulk
from project_platform.calls.headers import Headers
from project_platform.calls.operation import Response

from .conftest import URL
from .ledger import PROJECT, Ledger, Transport

pyarrow = pytest.importorskip("pyarrow", reason="needs pyarrow")


@pytest.fixture
def table():
    """Two rows, the second with missing cells."""
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
    read = []

    def batches():
        for number in range(10):
            read.append(number)
            yield from table.to_batches()

    rows = bulk.arrow(pyarrow.RecordBatchReader.from_batches(table.schema, batches()))
    next(rows)

    assert len(read) < 5


@pytest.mark.parametrize("source", [3, [datetime.date(2026, 1, 1)], "deals.xlsx"])
def test_what_is_no_table_is_refused(source):
    """The message says what to give."""
    with pytest.raises(UsageError, match=r"Parquet or Arrow file"):
        bulk.arrow(source)


class Labels(Ledger):
    """A service that answers with a PDF, except for one month."""

    def handle(self, request):
        self.log.append(request.body.decode())
        if b"2026-02" in request.body:
            return Response(422, Headers({"content-type": "application/json"}), b'{"message": "no menu"}')
        return Response(200, Headers({"content-type": "application/pdf"}), b"%PDF-1.7 labels")


def test_labels_of_months_are_written_to_files(tmp_path, run):
    """A month that ended is not exported again, and one that failed leaves no file."""
    run.ledger = ledger = Labels()
    folder, months = tmp_path / "labels", ["2026-01", "2026-02", "2026-03"]
    folder.mkdir()

    with Client(URL, token="t", transport=Transport(ledger)) as client:
        for _ in range(2):
            ran = run(client.project(PROJECT).labels.exports(months, folder))

    rows = {row.key: row.applied for row in ran.report.rows()}
    assert rows == {"2026-01": "yes", "2026-02": "no", "2026-03": "yes"}
    assert sorted(file.name for file in folder.iterdir()) == ["labels-2026-01.pdf", "labels-2026-03.pdf"]
    assert (folder / "labels-2026-01.pdf").read_bytes() == b"%PDF-1.7 labels"
    assert len(ledger.log) == 3


def test_a_month_is_no_path(tmp_path):
    with Client(URL, token="t", transport=Transport(Ledger())) as client:
        with pytest.raises(UsageError, match="separator"):
            list(client.project(PROJECT).labels.exports(["../2026-01"], tmp_path))
