"""Records without an identifier or data cannot be changed, and a response without data proves nothing."""

from __future__ import annotations

import httpx
import pytest

from project_platform import (
    Change,
    ChangeOptions,
    OutcomeUnknownError,
    StalePreconditionError,
    UsageError,
)
from project_platform.models import ObjectRecord

from ..conftest import PROJECT
from .deal import BASE, FIRST, TOKENS, WON

STALE = httpx.Response(409, json={"message": "stale"})


def record_response(**fields):
    return httpx.Response(200, json={"record": fields})


MAKERS = pytest.mark.parametrize(
    "make",
    [
        lambda records, record: records.change(record, {"stage": "won"}),
        lambda records, record: (deals := records.of("deal")).change(deals.wrap(record), {"stage": "won"}),
        lambda records, record: (deals := records.of("deal")).modify(deals.wrap(record), lambda data: {"stage": "won"}),
        lambda records, record: Change.between(record, {"stage": "won"}),
    ],
)


@MAKERS
def test_no_change_is_made_of_a_record_without_data(project, make):
    """Data taken to be empty would give a guard that guards nothing; nothing is sent."""
    with pytest.raises(
        UsageError,
        match=r"record rec_1 has no data, .* or ObjectRecord\(id=\.\.\., data=\{\}\) if it is known to be empty",
    ):
        make(project.records, ObjectRecord(id="rec_1"))


@MAKERS
def test_no_change_is_made_of_a_record_without_an_identifier(project, make):
    """There is nothing that it could be applied to."""
    with pytest.raises(UsageError, match="the record has no id"):
        make(project.records, ObjectRecord(data=BASE))


def test_a_guard_is_not_taken_to_hold_in_a_record_without_data(change):
    """What is not known is neither held nor stale; a change that guards no data has nothing to compare."""
    unguarded = Change.between(ObjectRecord(id="rec_1", data={}), {"stage": "won"})

    with pytest.raises(UsageError, match="has no data"):
        change().guard_holds_in(ObjectRecord(id="rec_1"))
    assert unguarded.guard_holds_in(ObjectRecord(id="rec_1"))


@pytest.mark.parametrize(
    ("base", "want", "tokens"),
    [
        ({"stage": "open"}, {}, None),  # deleting is in effect where there is no data
        (BASE, WON, None),
        ({**BASE, **FIRST}, {**WON, **FIRST}, TOKENS),
    ],
)
def test_a_look_without_data_leaves_the_outcome_unknown(client, service, base, want, tokens):
    """Missing data is not empty data: it shows neither that the change is in effect nor that it is not."""
    record = ObjectRecord(id="rec_1", data=base)
    options = ChangeOptions(tokens=tokens)
    service.will(STALE, record_response(id="rec_1"))

    with pytest.raises(OutcomeUnknownError) as raised:
        client.settle(Change.between(record, want, change_options=options, project_id=PROJECT))

    assert raised.value.applied == "unknown"
    assert raised.value.seen.id == "rec_1"
    assert len(raised.value.attempts) == 2


def test_a_refresh_without_data_raises_the_conflict(project, service, record):
    """The change was not applied; there is no snapshot to go on from, and a note says why."""
    service.will(STALE, record_response(id="rec_1"))
    deals = project.records.of("deal", refresh="noop")

    with pytest.raises(StalePreconditionError) as raised:
        deals.modify(deals.wrap(record), lambda data: {"stage": "won"})

    assert raised.value.applied == "no"
    assert raised.value.report is None
    assert raised.value.__notes__ == [
        "the record was read again, and the response has no data to make a newer change from"
    ]
    assert len(raised.value.attempts) == 2
