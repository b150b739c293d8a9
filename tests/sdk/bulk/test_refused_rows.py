"""Rows that the client refuses: each ends as "no" with the reason, and the others are sent."""

from __future__ import annotations

import datetime
import math

import pandas
import pytest

from project_platform import Client, UsageError, bulk

from .conftest import URL
from .ledger import PROJECT, Transport


@pytest.fixture
def records(ledger):
    with Client(URL, token="t", transport=Transport(ledger)) as client:
        yield client.project(PROJECT).records


TABLE = {"type_slug": "deal", "external_id_column": "id"}
REFUSED = {
    "NaN": {"id": "crm-1", "n": math.nan},
    "a date without zone": {"id": "crm-1", "at": datetime.datetime(2026, 11, 25)},
    "a lone surrogate": {"id": "crm-1", "name": "\ud800"},
    "no identifier": {"n": 1},
    "an empty one, as `csv.DictReader` has it": {"id": "", "n": 1},
    "an identifier that is no text": {"id": 1.5, "n": 1},
    "a list": ["crm-1", 1],
}


@pytest.mark.parametrize("refused", REFUSED.values(), ids=REFUSED)
def test_a_row_that_cannot_be_sent_ends_as_no_with_the_reason(run, ledger, records, refused):
    """As one that the service refuses; the next run does not send it either, until it is corrected."""
    rows = [{"id": f"crm-{i}", "n": i} for i in range(5)]
    rows[1] = refused

    ran = run(records.creates(rows, **TABLE))
    again = run(records.creates(rows, **TABLE))

    assert ran.error is None
    assert ran.counts == again.counts == {"yes": 4, "no": 1}
    (failed,) = ran.report.failed()
    assert failed.row == 1
    assert failed.error.startswith("UsageError: row 1")
    rows[1] = {"id": "crm-1", "n": 1}
    assert run(records.creates(rows, **TABLE)).counts == {"yes": 5}
    assert ledger.created == {f"crm-{i}": 1 for i in range(5)}


def test_a_run_may_stop_at_a_row_that_cannot_be_sent(run, ledger, records):
    rows = [{"id": "crm-0"}, {"id": "crm-1", "n": math.nan}, {"id": "crm-2"}]

    ran = run(records.creates(rows, **TABLE), stop_on_invalid=True)

    assert isinstance(ran.error, UsageError)
    assert ran.counts == {"yes": 1}


def test_identifiers_of_frames_may_be_integers(run, ledger, records):
    """Frames have no other type for them; a frame needs no conversion."""
    frame = pandas.DataFrame({"id": [1, 2], "n": [1.5, math.nan]})

    assert run(records.creates(frame, **TABLE)).counts == {"yes": 2}
    assert ledger.created == {"1": 1, "2": 1}


def test_a_file_that_cannot_be_read_ends_the_run(run, records, tmp_path):
    (tmp_path / "deals.csv").write_bytes(b"id\n" + b"".join(b"%d\n" % i for i in range(3000)) + b"M\xfc\n")

    ran = run(records.creates(bulk.csv(tmp_path / "deals.csv"), **TABLE))

    assert isinstance(ran.error, UsageError)
    assert "give its encoding" in str(ran.error)
