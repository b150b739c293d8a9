"""Endpoints 3 and 4: create object records, and their external identifiers."""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from http import HTTPStatus
from typing import Any

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Fact
from project_platform_contract.run.contract_run import Run
from project_platform_contract.schema import field_problem

from .support.preconditions import require_success
from .support.reading import refused
from .support.records import Records, record_of

_EXTERNAL_IDS = {
    "external-id": ("", *(f"{{tag}}-{'x' * length}-{{digits}}" for length in (40, 300)), "00{digits}", "{digits}e0"),
    "external-id-blanks": (" {tag}-before {digits}", "\t{tag}-both {digits}\n"),
}
"""By rule: texts that a service may refuse, but not change; the specification shows no maximum length."""


@pytest.mark.rule("records.create.external-id")
def test_a_record_keeps_its_external_id(records: Records, tag: str, fact: Fact) -> None:
    """The effect of a second creation with the same externalId is recorded as a fact."""
    record = records.create(externalId=f"{tag}-twice")

    again = records.post(data={"title": tag}, externalId=f"{tag}-twice")

    assert records.read(record)["externalId"] == f"{tag}-twice"
    if again.is_success:
        fact("externalId", "upsert" if record_of(again)["id"] == record["id"] else "free", again)
    else:  # bulk runs rely on the 409
        fact("externalId", "unique" if again.status_code == HTTPStatus.CONFLICT else again.status_code, again)


@pytest.mark.rule("records.create.unknown-type")
def test_an_unknown_type_is_refused(records: Records, tag: str) -> None:
    """Also one that begins like the type of the data file."""
    known = records.create()["typeSlug"]

    responses = [records.post(typeSlug=slug, data={"title": tag}) for slug in (tag, f"{known}-{tag}")]

    assert [response.status_code for response in responses if not response.is_client_error] == []


@pytest.mark.rule("records.create.person-created")
def test_a_new_identity_gets_a_person(records: Records) -> None:
    assert records.person(records.linked({"name": "Contract Person", "email": records.email()}))


@pytest.mark.rule("records.create.no-person")
@pytest.mark.parametrize("data", [{"source": "fair"}, {"email": ""}, {"email": "", "phone": ""}], ids=str)
def test_without_identity_there_is_no_person(records: Records, data: dict[str, Any]) -> None:
    """An empty text is not the identifier of a person."""
    assert not records.linked(data).get("personRefId")


@pytest.mark.rule("fields.object-record.types")
def test_a_record_has_the_documented_types(records: Records, tag: str) -> None:
    """An amount in the data may appear as `amountCents`, which is a string."""
    known = {"amountCents": "125000", "currency": "EUR", "status": "open"}
    record = records.linked({**known, "email": records.email()}, externalId=f"{tag}-types")
    updated = records.update(record, data={"amountCents": 250000, "status": "won"})

    assert field_problem("ObjectRecord", record) is None
    assert refused(updated) or field_problem("ObjectRecord", record_of(updated)) is None
    assert [name for name in ("id", "data", "createdAt") if not record.get(name)] == []


@pytest.mark.rule("records.create.answers-record")
def test_an_unknown_field_is_ignored_or_refused(records: Records, tag: str, fact: Fact) -> None:
    response = records.post(data={"title": tag}, contractUnknown=True)

    assert response.is_client_error or record_of(response)["data"]["title"] == tag
    fact("unknownFields", "ignore" if response.is_success else "refuse", response)


@pytest.mark.parametrize(
    ("rule", "texts"),
    [
        pytest.param(rule, texts, marks=pytest.mark.rule(f"records.create.{rule}"), id=rule)
        for rule, texts in _EXTERNAL_IDS.items()
    ],
)
def test_an_external_id_is_stored_unchanged_or_refused(
    records: Records, contract_run: Run, tag: str, rule: str, texts: Sequence[str]
) -> None:
    """When a record is created, and when one is updated, whose identifiers have another number each."""
    record = records.create(externalId=f"{tag}-{rule}")

    for text in texts:
        first, second = (text.format(tag=tag, digits=f"{contract_run.unknown_digits}{number}") for number in (1, 2))
        created, updated = (
            records.post(data={"title": tag}, externalId=first),
            records.update(record, externalId=second),
        )
        for sent, response in ((first, created), (second, updated)):
            assert refused(response) or record_of(response).get("externalId") == sent, sent


@pytest.mark.rule("records.create.external-id")
def test_an_external_id_of_digits_is_a_string(records: Records, contract_run: Run, tag: str) -> None:
    """All identifiers are strings; this one is also beyond the precision of a number."""
    digits = contract_run.unknown_digits
    record = records.create(externalId=digits)
    read = records.read(record)
    require_success(records.update(record, externalId=f"{tag}-digits"))
    again = record_of(require_success(records.update(record, externalId=digits)))

    assert [shown.get("externalId") for shown in (record, read, again)] == [digits] * 3


@pytest.mark.rule("records.create.person-concurrent")
def test_concurrent_records_of_a_new_identity_have_the_same_person(records: Records) -> None:
    data = {"name": "Contract Person", "email": records.email()}

    with ThreadPoolExecutor(4) as writers:
        persons = list(writers.map(lambda _: records.linked(data).get("personRefId"), range(4)))

    if not persons[0]:
        raise MissingError("a new record with an identity has no personRefId")
    assert len(set(persons)) == 1
