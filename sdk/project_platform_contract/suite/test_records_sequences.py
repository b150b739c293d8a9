"""Endpoints 3 and 4: one key through many values, records beside each other, and names that data and fields share."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.contract_run import Run

from .support.preconditions import require_success, without_invalid
from .support.reading import refused
from .support.records import Records, record_of

_NAMES = (
    "id",
    "typeSlug",
    "externalId",
    "createdAt",
)  # Fields of a record with which a key of its data shares the name.


@pytest.mark.rule("records.create.own-data")
def test_a_record_without_data_has_none_of_another_one(records: Records, tag: str) -> None:
    """Neither of one that was created without data and updated, nor of one that was created with data."""
    records.create({"stage": "open"}, externalId=f"{tag}-own-1")
    created = records.post(externalId=f"{tag}-own-2")
    if refused(created):
        raise MissingError("the service refuses a record without data")
    first = record_of(require_success(created))
    require_success(records.update(first, data={"title": tag, "stage": "won"}))

    second = record_of(require_success(records.post(externalId=f"{tag}-own-3")))

    sent = ("title", "stage")  # a service may number records in their data
    for shown in (second, records.read(second)):
        assert [shown["data"].get(name) for name in sent] == [first["data"].get(name) for name in sent]


@pytest.mark.rule("records.create.empty-key")
def test_a_key_may_be_empty(records: Records, tag: str) -> None:
    response = records.post(data={"title": tag, "": "open"})

    assert response.is_success
    assert record_of(response)["data"].get("") == "open"


@pytest.mark.rule("records.create.external-id")
def test_an_external_id_of_digits_is_a_string(records: Records, contract_run: Run, tag: str) -> None:
    """All identifiers are strings; this one is also beyond the precision of a number."""
    digits = contract_run.unknown_digits
    record = records.create(externalId=digits)
    read = records.read(record)
    require_success(records.update(record, externalId=f"{tag}-digits"))
    again = record_of(require_success(records.update(record, externalId=digits)))

    assert [answer.get("externalId") for answer in (record, read, again)] == [digits] * 3


@pytest.mark.rule("records.update.expected-data-exact")
def test_expected_data_is_compared_with_data_that_has_the_names_of_fields(records: Records, tag: str) -> None:
    record = records.create({name: f"{tag} {name}" for name in _NAMES}, externalId=f"{tag}-names")
    names = [name for name in _NAMES if isinstance(record.get(name), str)]

    require_success(
        records.update(record, data={"note": "in time"}, expectedData={name: record["data"][name] for name in names})
    )
    responses = {name: records.update(record, data={"note": name}, expectedData={name: record[name]}) for name in names}

    assert {
        name: each.status_code for name, each in without_invalid(responses).items() if each.status_code != 409
    } == {}


@pytest.mark.rule("records.create.person-concurrent")
def test_concurrent_records_of_a_new_identity_have_the_same_person(records: Records) -> None:
    data = {"name": "Contract Person", "email": records.email()}

    with ThreadPoolExecutor(4) as writers:
        persons = list(writers.map(lambda _: records.linked(data).get("personRefId"), range(4)))

    if not persons[0]:
        raise MissingError("a new record with an identity has no personRefId")
    assert len(set(persons)) == 1
