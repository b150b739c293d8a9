"""Rows of frames become arguments, and a gap becomes what the caller says."""

from __future__ import annotations

import datetime
import json
from decimal import Decimal

import httpx
import pytest

from project_platform import UsageError, frames

np = pytest.importorskip("numpy", reason="numpy is not installed")
pandas = pytest.importorskip("pandas", reason="pandas is not installed")
polars = pytest.importorskip("polars", reason="polars is not installed")

NINE = datetime.datetime(2026, 1, 1, 9, tzinfo=datetime.UTC)
GAPS = {
    "none": None,
    "nan": float("nan"),
    "numpy": np.float64("nan"),
    "float32": np.float32("nan"),
    "decimal": Decimal("NaN"),
    "na": pandas.NA,
    "nat": pandas.NaT,
    "datetime64": np.datetime64("NaT", "s"),
}
VALUES = {
    "integer": (np.int64(3), 3),
    "float": (np.float64(1.5), 1.5),
    "float32": (np.float32(0.5), 0.5),
    "boolean": (np.bool_(True), True),
    "text": (np.str_("a"), "a"),
    "array": (np.array([1, 2]), [1, 2]),
    "matrix": (np.array([[1.5], [2.0]]), [[1.5], [2.0]]),
    "objects": (np.array(["a", None], dtype=object), ["a", None]),
    "timestamp": (pandas.Timestamp(NINE), "2026-01-01T09:00:00+00:00"),
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_numpy_and_pandas_are_sent_as_json(project, service, name):
    service.will(httpx.Response(201, json={"record": {"id": "rec_1"}}))
    given, sent = VALUES[name]

    project.records.create(type_slug="deal", data={"a": given})

    assert service.body["data"] == {"a": sent}


@pytest.mark.parametrize("name", [name for name in GAPS if name != "none"])
def test_a_gap_in_data_is_refused(project, name):
    """None is null, which deletes; any other gap may mean that or something else."""
    with pytest.raises(UsageError, match=r"data\.a is .*(leave it out)"):
        project.records.create(type_slug="deal", data={"a": GAPS[name]})


@pytest.mark.parametrize("missing", [None, "drop", ""])
def test_what_becomes_of_gaps_has_to_be_said(missing):
    """There is no default: null deletes."""
    with pytest.raises(UsageError, match="give 'omit' to leave gaps out, or 'null' to send null"):
        frames.rows([], missing=missing)


def test_gaps_are_left_out_or_null():
    """In nested objects as well; in a list they are null."""
    row = {**GAPS, "a": 1, "s": {"x": None, "y": 2}, "l": [1, None, float("nan")]}

    (omitted,) = frames.rows([row], missing="omit")
    (null,) = frames.rows([row], missing="null")

    assert omitted == {"a": 1, "s": {"y": 2}, "l": [1, None, None]}
    assert null == {**dict.fromkeys(GAPS), "a": 1, "s": {"x": None, "y": 2}, "l": [1, None, None]}


def test_frames_of_pandas_polars_and_arrow_are_read():
    """An integer with gaps stays an integer where the frame has it as one."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    columns = {"a": [1, None], "b": ["x", None], "at": [NINE, None]}
    expected = [{"a": 1, "b": "x", "at": NINE}, {}]

    assert list(frames.rows(pandas.DataFrame(columns).astype({"a": "Int64"}), missing="omit")) == expected
    assert list(frames.rows(polars.DataFrame(columns), missing="omit")) == expected
    assert list(frames.rows(pyarrow.table(columns), missing="omit")) == expected
    assert list(frames.rows([dict(zip(columns, row, strict=True)) for row in [(1, "x", NINE), (None,) * 3]], missing="omit")) == expected  # fmt: skip


def test_a_frame_with_two_columns_of_one_name_is_refused():
    """A mapping would hold only one of them."""
    pyarrow = pytest.importorskip("pyarrow", reason="pyarrow is not installed")
    frame = pandas.DataFrame([[1, 2, 3]], columns=["n", "m", "n"])
    table = pyarrow.Table.from_arrays([pyarrow.array([1]), pyarrow.array([2])], names=["n", "n"])

    for twice in (frame, table):
        with pytest.raises(UsageError, match="several columns with the name n; rename or drop"):
            list(frames.rows(twice, missing="omit"))


@pytest.mark.parametrize(
    ("value", "message"),
    [
        (np.datetime64("2026-01-01T09:00:00"), r"row 1\.at is of type datetime64"),
        (pandas.Timestamp("2026-01-01"), r"row 1\.at has no offset from UTC"),
        ([datetime.datetime(2026, 1, 1)], r"row 1\.at\[0\] has no offset from UTC"),
        (float("inf"), r"row 1\.at is inf"),
        (np.timedelta64(1, "s"), r"row 1\.at is of type timedelta64"),
        (object(), r"row 1\.at is of type object"),
    ],
)
def test_a_value_that_cannot_be_sent_is_refused_with_its_row(value, message):
    read = frames.rows([{"at": NINE}, {"at": value}], missing="omit")

    assert next(read) == {"at": NINE}
    with pytest.raises(UsageError, match=message):
        next(read)


def test_a_part_of_a_frame_and_a_lazy_one_are_refused():
    frame = polars.DataFrame({"a": [1]})
    for given, message in (
        (frame.lazy(), "LazyFrame of polars; collect"),
        (frame["a"], "Series of polars; give a frame"),
        (pandas.Series([1]), "Series of pandas; give a frame"),
    ):
        with pytest.raises(UsageError, match=message):
            frames.rows(given, missing="omit")


def test_a_row_that_is_no_mapping_is_refused():
    with pytest.raises(UsageError, match="row 0 is of type tuple"):
        list(frames.rows([(1, 2)], missing="omit"))


def test_a_time_without_an_offset_is_refused_in_data(project, service):
    """As in the arguments of bookings; a date has no hour, and is sent."""
    service.will(httpx.Response(201, json={"record": {"id": "rec_1"}}))

    with pytest.raises(UsageError, match=r"data\.at has no offset from UTC"):
        project.records.create(type_slug="deal", data={"at": datetime.datetime(2026, 1, 1, 9)})
    project.records.create(type_slug="deal", data={"at": NINE, "on": datetime.date(2026, 1, 1)})

    assert service.body["data"] == {"at": "2026-01-01T09:00:00+00:00", "on": "2026-01-01"}


@pytest.mark.parametrize(("missing", "sent"), [("omit", {"a": 1}), ("null", {"a": 1, "b": None})])
def test_a_frame_is_a_source_of_creates(project, missing, sent):
    """For bulk runs; a gap in the data is left out or null, as the caller says."""
    frame = pandas.DataFrame({"id": ["crm-1"], "a": [1], "b": [None]})

    (call,) = project.records.creates(frame, type_slug="deal", external_id_column="id", missing=missing)

    assert json.loads(call.body) == {"typeSlug": "deal", "externalId": "crm-1", "data": sent}


def test_without_a_rule_for_gaps_nan_is_refused_with_its_row(project):
    """None is left out, as in files."""
    calls = project.records.creates([{"a": None}, {"a": float("nan")}], type_slug="deal")

    assert json.loads(next(calls).body)["data"] == {}
    with pytest.raises(UsageError, match=r"row 1: body\.data\.a is nan"):
        next(calls)
