"""Endpoints 4: partial and conditional updates of object records."""

from __future__ import annotations

import time

import pytest

from project_platform_stub.operations.support import jsonb


@pytest.fixture
def record(api, clock):
    """A record that was created a minute ago."""
    created = api.create(
        data={"title": "Roof", "stage": "open", "tags": ["a", "b"], "site": {"city": "Köln", "storeys": 2}}
    )
    clock.advance(minutes=1)
    return created


def test_data_is_merged(api, record):
    updated = api.update(record, data={"stage": "won", "note": "call"}).json()["record"]

    assert updated["data"] == {**record["data"], "stage": "won", "note": "call"}
    assert (updated["createdAt"], updated["updatedAt"]) == (record["createdAt"], "2026-11-02T08:31:00.000000Z")


def test_updated_by_is_the_last_editor(sign_in, record):
    """`createdBy` is unchanged."""
    updated = sign_in("service_account").update(record, data={"stage": "won"}).json()["record"]

    assert (updated["createdBy"], updated["updatedBy"]) == ("user_owner", "svc_integration")


def test_the_external_id_is_replaced_left_or_cleared(api, record):
    """A value replaces it, absence leaves it, null clears it."""
    assert api.update(record, externalId="x").json()["record"]["externalId"] == "x"
    assert api.update(record, data={"a": 1}).json()["record"]["externalId"] == "x"
    assert api.update(record, externalId=None).json()["record"]["externalId"] is None


# `tests/properties/test_containment.py` has the corners of containment.
@pytest.mark.parametrize(
    "guard", [{"stage": "won"}, {"missing": None}, {"tags": ["c"]}, {"stage": "open", "title": "Wall"}]
)
def test_a_stale_guard_is_a_conflict_and_changes_nothing(api, record, refused, stub, guard):
    """A 409 with a code; the record is unchanged, including `updatedAt`."""
    response = api.update(record, data={"stage": "won"}, externalId="x", expectedData=guard)

    assert refused(response, 409)["code"] == "stale_precondition"
    assert stub.project.records[record["id"]] == record


@pytest.mark.parametrize(("status", "answer"), [("open", 200), ("won", 409), ("", 409)])
def test_expected_status_is_a_precondition(api, record, stub, status, answer):
    """With another status, the response is a 409 and the record is unchanged."""
    response = api.update(record, data={"status": "lost"}, expectedStatus=status)

    assert response.status_code == answer
    assert stub.project.records[record["id"]]["status"] == ("lost" if answer == 200 else "open")


def test_both_preconditions_have_to_hold(api, record, refused):
    refused(api.update(record, data={"a": 1}, expectedData={"stage": "open"}, expectedStatus="won"), 409)
    refused(api.update(record, data={"a": 1}, expectedData={"stage": "won"}, expectedStatus="open"), 409)
    assert api.update(record, data={"a": 1}, expectedData={"stage": "open"}, expectedStatus="open").status_code == 200


def test_the_person_follows_the_identity(api, clock):
    """On a type that links to persons, data with another identity links the record to that person."""
    lead = api.create("lead", data={"email": "one@example.com"})
    other = api.create("lead", data={"email": "two@example.com"})["personRefId"]

    moved = api.update(lead, data={"email": "two@example.com"}).json()["record"]

    assert lead["personRefId"] != other
    assert moved["personRefId"] == other


@pytest.mark.parametrize("change", [{"note": "x"}, {"email": None}, {"name": "Another"}])
def test_the_person_is_unchanged_without_new_identity(api, change):
    lead = api.create("lead", data={"email": "one@example.com"})

    assert api.update(lead, data=change).json()["record"]["personRefId"] == lead["personRefId"]


@pytest.mark.parametrize("more", [{}, {"more": 1}], ids=["equal objects", "objects with further members"])
def test_long_lists_are_compared_quickly(api, stub, more):
    """`expectedData` with the objects of a long list in another order holds, within seconds."""
    rows = [{"row": number, "cells": [number]} for number in range(5_000)]
    record = api.create(data={"rows": [{**row, **more} for row in rows]})

    began = time.process_time()
    response = api.update(record, expectedData={"rows": rows[::-1]}, data={"seen": True})

    assert response.status_code == 200, response.text
    assert time.process_time() - began < 5, "each with each would take minutes"


def test_an_expensive_comparison_is_refused(api, stub, refused, monkeypatch):
    """Where the objects of two lists would have to be compared pairwise, the response is a 400."""
    monkeypatch.setattr(jsonb, "MAX_STEPS", 30_000)
    record = api.create(data={"rows": [{"cells": [number, "more"]} for number in range(1_000)]})
    expected = {"rows": [{"cells": [number]} for number in reversed(range(1_000))]}

    refused(api.update(record, expectedData=expected, data={"seen": True}), 400, "body.expectedData: takes too long")

    assert stub.project.records[record["id"]] == record
