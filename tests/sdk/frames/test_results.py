"""Label reviews, results of changes and reports of bulk runs are tables."""

from __future__ import annotations

import pytest

from project_platform import (
    AttemptRecord,
    BulkRow,
    Change,
    ChangeResult,
    Client,
    LabelReview,
    Listing,
)
from project_platform.models import ObjectRecord
from project_platform_stub import Stub

pytest.importorskip("pyarrow", reason="pyarrow is not installed")

RECORD = ObjectRecord(id="rec_1", data={"stage": "open", "apiKey": "s3cret"}, status="open")


def test_a_result_of_a_change_is_a_row():
    change = Change.between(RECORD, {"stage": "won", "apiKey": "s3cret"})
    result = ChangeResult("yes", RECORD, False, (AttemptRecord(1.0, "applied", 200, "req-1"),), change)

    (row,) = result.to_arrow().to_pylist()

    assert (row["record_id"], row["applied"], row["attempts"], row["request_id"]) == ("rec_1", "yes", 1, "req-1")
    assert (row["patch"], row["guard"], row["data"]) == ('{"stage":"won"}', '{"stage":"open"}', '{"stage":"open"}')


def test_a_review_is_a_mapping_and_a_table():
    """Members of other names and types are in `extra`, and a list that is missing has no rows."""
    members = {
        "labels": [{"itemId": "a", "name": "Soup", "sheet": 1, "position": 2, "kcal": 300}, {"itemId": 7}, "text"],
        "skipped": [{"itemId": "b", "reason": "not approved"}],
    }
    review = LabelReview(members)

    assert review == members
    assert (review["skipped"][0]["reason"], len(review)) == ("not approved", 2)
    rows = review.to_arrow().to_pylist()
    assert [(row["list"], row["item_id"], row["sheet"], row["extra"]) for row in rows] == [
        ("labels", "a", 1, '{"kcal":300}'),
        ("labels", None, None, '{"itemId":7}'),
        ("skipped", "b", None, None),
    ]
    assert LabelReview({"labels": "none"}).to_arrow().column_names == review.to_arrow().column_names


@pytest.mark.parametrize("method", ["to_arrow", "to_pandas", "to_polars"])
def test_a_report_of_a_bulk_run_is_a_table(tmp_path, method):
    """`frame` returns some of the rows, as a listing."""
    if method != "to_arrow":
        pytest.importorskip(method.removeprefix("to_"), reason="not installed")
    stub = Stub()
    client = Client("https://stub.example", token=stub.token(), transport=stub.transport(), project_id=stub.project.id)
    records = client.project().records
    rows = [{"type_slug": "deal", "external_id": "crm-1"}, {"type_slug": "deal", "external_id": "crm-1"}]
    with client.project().bulk(tmp_path / "journal", progress=False) as job:
        report = job.run(records.creates(rows))

    table = getattr(report, method)()

    assert list(table.columns if method != "to_arrow" else table.column_names) == [
        "row",
        "key",
        "applied",
        "error",
        "record_id",
    ]
    assert table.shape == (2, 5)
    failed = report.frame("no")
    assert isinstance(failed, Listing)
    assert [(row.row, row.key) for row in failed] == [(1, "crm-1")]
    assert isinstance(failed[0], BulkRow)
    assert getattr(failed, method)().shape == (1, 5)
