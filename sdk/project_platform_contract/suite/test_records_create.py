"""Endpoints 3 and 4: create object records, and their external identifiers."""

from __future__ import annotations

from http import HTTPStatus
from typing import Any

import pytest

from project_platform_contract.run.api import Fact
from project_platform_contract.schema import field_problem

from .support.json_equality import differences
from .support.reading import refused
from .support.records import Records, record_of


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


@pytest.mark.rule("records.create.body-types")
@pytest.mark.parametrize(
    "body",
    [
        {"data": "text"},
        {"data": ["a", "b"]},
        {"typeSlug": {"slug": "deal"}},
        {"externalId": ["a"]},
        {"relations": "text"},
    ],
    ids=lambda body: f"{next(iter(body))} is {type(next(iter(body.values()))).__name__}",
)
def test_a_field_of_another_type_is_refused(records: Records, tag: str, fact: Fact, body: dict[str, Any]) -> None:
    """With any client error."""
    response = records.post(**{"data": {"title": tag}, **body})

    assert 400 <= response.status_code < 500
    fact("invalidStatus", response.status_code, response)


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

    assert field_problem("ObjectRecord", record) is None
    assert [name for name in ("id", "data", "createdAt") if not record.get(name)] == []


@pytest.mark.rule("records.create.answers-record")
def test_an_unknown_field_is_ignored_or_refused(records: Records, tag: str, fact: Fact) -> None:
    response = records.post(data={"title": tag}, contractUnknown=True)

    assert response.is_client_error or record_of(response)["data"]["title"] == tag
    fact("unknownFields", "ignore" if response.is_success else "refuse", response)


@pytest.mark.rule("records.create.external-id")
def test_an_empty_external_id_is_refused_or_stored(records: Records, tag: str) -> None:
    """When a record is updated, and when one is created: if that replaces another record, it is the one of this test."""
    record = records.create(externalId=f"{tag}-not-empty")
    for response in (records.update(record, externalId=""), records.post(data={"title": tag}, externalId="")):
        assert refused(response) or record_of(response)["externalId"] == ""


@pytest.mark.rule("records.create.external-id")
def test_a_long_external_id_is_stored_whole_or_refused(records: Records, tag: str) -> None:
    """The specification shows no maximum length."""
    sent = {length: f"{tag}-{'x' * length}-end" for length in (40, 300)}
    record = records.create(externalId=f"{tag}-short")

    created = {length: records.post(data={"title": tag}, externalId=text) for length, text in sent.items()}
    updated = {length: records.update(record, externalId=f"{text}-2") for length, text in sent.items()}

    for length, text in sent.items():
        for response, expected in ((created[length], text), (updated[length], f"{text}-2")):
            assert refused(response) or record_of(response).get("externalId") == expected, length


@pytest.mark.rule("records.create.external-id-blanks")
def test_blanks_around_an_external_id_are_kept_or_refused(records: Records, tag: str) -> None:
    sent = [f" {tag}-before", f"\t{tag}-both\n"]
    record = records.create()

    responses = [(text, records.post(data={"title": tag}, externalId=text)) for text in sent]
    responses += [(f" {text} 2 ", records.update(record, externalId=f" {text} 2 ")) for text in sent]

    stored = [(text, record_of(response).get("externalId")) for text, response in responses if not refused(response)]
    assert differences([text for text, _ in stored], [external for _, external in stored]) == []
