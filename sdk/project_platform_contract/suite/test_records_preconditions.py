"""Endpoints 4, rule 2: preconditions of updates of object records."""

from __future__ import annotations

import pytest

from project_platform_contract.run.api import Fact

from .support.preconditions import require_refused
from .support.records import Records, lasting


@pytest.mark.rule("records.update.containment")
def test_an_array_contains_itself(records: Records, fact: Fact) -> None:
    """Whether order and number of elements matter is recorded as a fact."""
    record = records.create({"tags": ["a", "b", "c"]})

    def holds(tags: list[str]) -> bool:
        return records.update(record, data={"note": "seen"}, expectedData={"tags": tags}).is_success

    same = records.update(record, data={"note": "seen"}, expectedData={"tags": ["a", "b", "c"]})
    assert same.is_success
    fact("containmentArrays", "subset" if holds(["c", "a"]) else "prefix" if holds(["a"]) else "equal", same)


@pytest.mark.rule("records.update.stale-unchanged")
def test_a_conflict_does_not_change_the_person(records: Records) -> None:
    record = records.linked({"email": records.email()})

    records.update(record, data={"email": records.email()}, expectedData={"source": "never"})

    assert lasting(records.read(record)) == lasting(record)


@pytest.mark.rule("records.update.stale-body")
def test_a_conflict_has_an_error_body(records: Records) -> None:
    response = require_refused(
        records.update(records.create(), data={"note": "late"}, expectedData={"title": "another"})
    )

    assert isinstance(response.json()["message"], str)
    assert isinstance(response.json().get("code", ""), str)
