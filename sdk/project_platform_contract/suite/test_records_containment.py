"""Endpoints 4, rule 2: `expectedData` is compared by containment, value by value."""

from __future__ import annotations

from http import HTTPStatus
from typing import Final

import pytest

from project_platform_contract.run.api import Fact

from .support.expectations import CONTAINED, HAS, STALE, Pairs
from .support.free_form import FIELDS, is_plain
from .support.preconditions import (
    accepted,
    is_invalid,
    require_refused,
    require_success,
    without_conflict,
    without_invalid,
)
from .support.reading import error_problem
from .support.records import Records, lasting

_STALE_NULLS: Pairs = {
    "at the top": {"unknown key": None},
    "in an object": {"site": {"unknown key": None}},
}

# Each is the same number, written in two ways.
_NUMBERS: Final = ((12.0, 12), (7, 7.0), (1e3, 1000), (0, 0.0), (-0.0, 0), (1e21, 10**21), (0.5, 5e-1), (-3, -3.0))
_PERSONAL: Final = ("email", "phone")
_NAMES: Final = ("id", "typeSlug", "externalId", "createdAt")  # Fields with which a key of the data shares the name.


def _matching(records: Records, pairs: Pairs) -> list[str]:
    """Return the names of the stale preconditions with which an update does not get a 409."""
    record = records.create(dict(HAS))
    require_success(records.update(record, data={"note": "in time"}, expectedData={"stage": "open"}))
    responses = {
        name: records.update(record, data={"note": "late"}, expectedData=expected) for name, expected in pairs.items()
    }
    stated = [name for name, expected in pairs.items() if is_plain(expected) and expected.keys() <= HAS.keys()]
    return [f"{name}: {pairs[name]!r} ({status})" for name, status in without_conflict(responses, stated).items()]


@pytest.mark.rule("records.update.containment")
def test_data_contains_its_parts(records: Records) -> None:
    record = records.create(dict(HAS))

    responses = {
        name: records.update(record, data={"note": name}, expectedData=expected) for name, expected in CONTAINED.items()
    }

    held = without_invalid(responses)
    assert [f"{name}: {response.status_code}" for name, response in held.items() if not response.is_success] == []
    assert records.read(record)["data"]["note"] == list(held)[-1]


@pytest.mark.rule("records.update.containment")
def test_data_contains_what_was_sent_and_what_is_shown(records: Records) -> None:
    """Whatever the members are called, and also if the record is linked to a person."""
    linked = {**FIELDS, "email": records.email().upper()}
    for record, sent in ((records.create(dict(FIELDS)), FIELDS), (records.linked(linked), linked)):
        for number, expected in enumerate((sent, record["data"])):
            accepted(records.update(record, data={"note": number}, expectedData=expected))
        for name in _PERSONAL:
            response = records.update(record, data={"note": "late"}, expectedData={name: f"{sent[name]} "})
            assert response.status_code == HTTPStatus.CONFLICT or is_invalid(response), name


@pytest.mark.rule("records.update.containment")
def test_numbers_are_contained_as_they_were_sent(records: Records, fact: Fact) -> None:
    """Whether 12 is also contained as 12.0 is recorded as a fact: JSON does not say which texts are equal numbers."""
    sent, other = ({f"{pair}": pair[written] for pair in _NUMBERS} for written in (0, 1))
    record = records.create(sent)

    same, equal = (records.update(record, data={"note": "seen"}, expectedData=expected) for expected in (sent, other))

    accepted(same)
    if equal.status_code != HTTPStatus.CONFLICT:
        accepted(equal)
    fact("records.expected-numbers", "by value" if equal.is_success else "as written", equal)


@pytest.mark.rule("records.update.expected-data-exact")
def test_data_does_not_contain_anything_else(records: Records) -> None:
    """Texts, numbers, keys and types are compared exactly, at any depth."""
    assert _matching(records, STALE) == []


@pytest.mark.rule("records.update.expected-null")
def test_a_missing_key_does_not_match_null(records: Records) -> None:
    assert _matching(records, _STALE_NULLS) == []


@pytest.mark.rule("records.update.containment")
def test_an_array_contains_itself(records: Records, fact: Fact) -> None:
    """Whether order and number of elements matter is recorded as a fact."""
    record = records.create({"tags": ["a", "b", "c"]})

    def holds(tags: list[str]) -> bool:
        return records.update(record, data={"note": "seen"}, expectedData={"tags": tags}).is_success

    same = accepted(records.update(record, data={"note": "seen"}, expectedData={"tags": ["a", "b", "c"]}))
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

    assert error_problem(response) is None


@pytest.mark.rule("records.update.expected-data-exact")
def test_expected_data_is_compared_with_data_that_has_the_names_of_fields(records: Records, tag: str) -> None:
    record = records.create({name: f"{tag} {name}" for name in _NAMES}, externalId=f"{tag}-names")
    names = [name for name in _NAMES if isinstance(record.get(name), str)]

    require_success(
        records.update(record, data={"note": "in time"}, expectedData={name: record["data"][name] for name in names})
    )
    responses = {name: records.update(record, data={"note": name}, expectedData={name: record[name]}) for name in names}

    assert without_conflict(responses) == {}
