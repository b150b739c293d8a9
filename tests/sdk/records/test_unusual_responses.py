"""Responses that are not what the specification shows never turn a landed change into a conflict, or change another record."""

from __future__ import annotations

import dataclasses
import json

import httpx
import pytest

from project_platform import (
    DecodingError,
    OutcomeUnknownError,
    Response,
    StalePreconditionError,
)

from .deal import BASE, FIRST, TOKENS, WON, after_another, record_response, win


def of_another(data):
    return Response(200, body=json.dumps({"record": {"id": "rec_2", "status": "open", "data": data}}).encode())


def without_id(data):
    return Response(200, body=json.dumps({"record": {"data": data}}).encode())


@pytest.fixture
def applied(applied):
    """Return a function that applies a change with these outcomes, and returns its result."""
    return lambda change, *outcomes: applied(change, *outcomes)[1]


@pytest.fixture
def settled(settled):
    """Return a function that settles a change whose response was lost with these outcomes, and returns its result."""
    return lambda change, *outcomes: settled(change, *outcomes)[1]


@pytest.fixture
def with_tokens(change):
    return change(base={**BASE, **FIRST}, tokens=TOKENS)


def test_a_response_with_another_record_is_no_proof(change, applied, settled, with_tokens):
    """It may answer another request, so it is not known whether the change was applied; a look may show it."""
    with pytest.raises(OutcomeUnknownError, match="rec_2 instead of rec_1") as raised:
        applied(change(), of_another(WON))

    in_effect = settled(change(), of_another(WON), record_response(WON))
    yes = applied(with_tokens, of_another(WON), record_response(with_tokens.predicted))

    assert (raised.value.applied, raised.value.change, raised.value.seen.id) == ("unknown", change(), "rec_2")
    assert (in_effect.applied, yes.applied, yes.record.id) == ("in effect", "yes", "rec_1")


def test_a_record_is_the_same_in_another_case(change, applied):
    """Some services write a UUID in capitals in one response and not in another."""
    new_change = dataclasses.replace(change(), record_id="REC_1")

    assert applied(new_change, record_response(WON)).applied == "yes"


def test_a_2xx_whose_tokens_show_another_change_is_looked_into(applied, with_tokens):
    """A service that answers 200 with the record as it is, where it should refuse: the change was not applied."""
    theirs = after_another({**BASE, **FIRST}, stage="lost")

    with pytest.raises(StalePreconditionError) as raised:
        applied(with_tokens, record_response(theirs), record_response(theirs))
    with pytest.raises(OutcomeUnknownError) as unknown:
        applied(with_tokens, record_response(theirs), Response(503), Response(503), Response(503))

    assert (raised.value.applied, raised.value.report.meeting) == ("no", "conflict")
    assert (unknown.value.applied, unknown.value.seen.data) == ("unknown", theirs)


@pytest.fixture
def modify(project):
    """Return a function that modifies a record on newer snapshots, as an update that changes nothing returns them."""

    def modify(record, edit, **options):
        deals = project.records.of("deal", refresh="noop", **options)
        return deals.modify(deals.wrap(record), edit)

    return modify


def test_a_refresh_with_another_record_changes_nothing(modify, service, record):
    """A change made from the other record would be sent to it."""
    service.will(httpx.Response(409), httpx.Response(200, content=of_another(BASE).body))

    with pytest.raises(StalePreconditionError) as raised:
        modify(record, win)

    assert raised.value.applied == "no"
    assert isinstance(raised.value.__cause__, DecodingError)
    assert {request.url.path.rpartition("/")[2] for request in service.requests} == {"rec_1"}


def test_a_refresh_without_an_identifier_is_the_same_record(modify, service, record):
    """The response to a request about one record has that record."""
    lost = {**BASE, "stage": "lost"}
    service.will(
        httpx.Response(409),
        httpx.Response(200, content=without_id(lost).body),
        httpx.Response(200, content=record_response(WON).body),
    )

    assert modify(record, win).data == WON
    assert service.body["expectedData"] == {"stage": "lost"}
