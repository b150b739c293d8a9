"""Endpoints 3: create object record."""

from __future__ import annotations

import pytest


def persons(stub):
    return [record for record in stub.project.records.values() if record["typeSlug"] == "person"]


def test_a_record_is_created(api, stub):
    """The response has the complete record, as the service stores it."""
    record = api.create("deal", data={"title": "Roof", "stage": "open"}, externalId="crm-42")

    assert stub.project.records[record["id"]] == record
    assert record == {
        "id": record["id"],
        "typeSlug": "deal",
        "displayName": "Roof",
        "externalId": "crm-42",
        "data": {"title": "Roof", "stage": "open"},
        "personRefId": None,
        "companyRefId": None,
        "amountCents": None,
        "currency": None,
        "status": "open",
        "occurredAt": None,
        "providerExternalId": None,
        "createdAt": "2026-11-02T08:30:00.000000Z",
        "updatedAt": "2026-11-02T08:30:00.000000Z",
        "createdBy": "user_owner",
        "updatedBy": "user_owner",
    }


@pytest.mark.parametrize(
    ("data", "field", "value"),
    [
        ({"status": "won"}, "status", "won"),
        ({"status": 7}, "status", "open"),
        ({"amountCents": "1250"}, "amountCents", "1250"),
        ({"amountCents": 1250}, "amountCents", "1250"),
        ({"amountCents": 12.5}, "amountCents", None),
        ({"amountCents": "a lot"}, "amountCents", None),
        ({"amountCents": True}, "amountCents", None),
        ({"currency": "EUR"}, "currency", "EUR"),
        ({"title": "T", "name": "N"}, "displayName", "T"),
        ({"title": " ", "name": "N"}, "displayName", "N"),
        ({}, "displayName", "Deal"),
    ],
)
def test_fields_of_the_record_mirror_its_data(api, data, field, value):
    """Assumed: status, amount, currency and name of a record mirror its data."""
    assert api.create(data=data)[field] == value


def test_a_null_is_not_stored(api):
    """In an update null deletes a key; in a create there is nothing to delete."""
    assert api.create(data={"a": None, "b": {"c": None}})["data"] == {"b": {"c": None}}


@pytest.mark.parametrize(
    "identity",
    [
        {"email": "ada@example.com"},
        {"email": " ADA@Example.COM "},
        {"phone": "+44 20 7946 0000"},
        {"phone": "442079460000"},
    ],
)
def test_a_matching_person_is_linked(api, stub, identity):
    """On a type that links to persons, data with a known identity gets the identifier of that person."""
    before = persons(stub)

    record = api.create("lead", data={"source": "fair", **identity})

    assert record["personRefId"] == before[0]["id"]
    assert persons(stub) == before


def test_an_unknown_person_is_created(api, stub):
    """The next record with the same identity is linked to the same person."""
    first = api.create("lead", data={"name": "Grace", "email": "grace@example.com", "source": "fair"})
    second = api.create("lead", data={"email": "GRACE@example.com"})

    created = stub.project.records[first["personRefId"]]
    assert created["typeSlug"] == "person"
    assert created["data"] == {"name": "Grace", "email": "grace@example.com"}
    assert second["personRefId"] == first["personRefId"]
    assert api.update(created, data={"phone": "1"}).status_code == 200


def test_the_email_address_takes_precedence_over_the_phone_number(api):
    """Where two persons match, the one with the address is linked."""
    by_email = api.create("lead", data={"email": "e@example.com"})["personRefId"]
    by_phone = api.create("lead", data={"phone": "12345"})["personRefId"]

    record = api.create("lead", data={"email": "e@example.com", "phone": "12345"})

    assert by_email != by_phone
    assert record["personRefId"] == by_email


@pytest.mark.parametrize(
    ("type_slug", "data"),
    [
        *(("lead", data) for data in ({}, {"name": "Ada Lovelace"}, {"email": ""}, {"email": 7}, {"phone": "none"})),
        ("deal", {"email": "new@example.com"}),
    ],
)
def test_without_identity_no_person_is_linked(api, stub, type_slug, data):
    """A name is not an identity, and only types with `linksToPerson` have persons."""
    before = persons(stub)

    assert api.create(type_slug, data=data)["personRefId"] is None
    assert persons(stub) == before
