"""Endpoints 3: create object record."""

from __future__ import annotations

import pytest


def persons(stub):
    """Return all persons of the demo project."""
    return [record for record in stub.project.records.values() if record["typeSlug"] == "person"]


def test_a_record_is_created(api, stub):
    """The answer is the whole record, and it is what the service keeps."""
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


def test_a_service_account_may_create_records(sign_in):
    """Only workflows need a real user."""
    assert sign_in("service_account").create()["createdBy"] == "svc_integration"


def test_an_unknown_type_is_refused(api, refused):
    """The three counted errors leave no room for a 404, so it is a 400 that names the field."""
    refused(api.post(api.path("object-records"), json={"typeSlug": "unicorn"}), 400, "body.typeSlug: ")
    refused(api.post(api.path("object-records"), json={"data": {}}), 400, "body.typeSlug: is required")


@pytest.mark.parametrize("fields", [{"data": []}, {"externalId": None}, {"relations": "x"}, {"data": None}])
def test_a_field_of_another_type_is_refused(api, refused, fields):
    """The message names the field."""
    response = api.post(api.path("object-records"), json={"typeSlug": "deal", **fields})

    refused(response, 400, f"body.{next(iter(fields))}: must be")


def test_the_same_external_id_is_accepted_twice(api):
    """Nothing in the specification says that it is unique."""
    assert api.create(externalId="crm-42")["id"] != api.create(externalId="crm-42")["id"]


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
    """Assumed: status, amount, currency and name of a record follow the data where they fit."""
    assert api.create(data=data)[field] == value


def test_a_null_is_not_stored(api):
    """A null deletes a key in an update; in a create there is nothing to delete."""
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
def test_a_person_that_matches_is_attached(api, stub, identity):
    """On a type that links to persons, data with a known identity carries that person's id."""
    before = persons(stub)

    record = api.create("lead", data={"source": "fair", **identity})

    assert record["personRefId"] == before[0]["id"]
    assert persons(stub) == before


def test_a_person_that_is_not_known_is_created(api, stub):
    """Identity that matches nobody makes a person, and the next record finds it."""
    first = api.create("lead", data={"name": "Grace", "email": "grace@example.com", "source": "fair"})
    second = api.create("lead", data={"email": "GRACE@example.com"})

    created = stub.project.records[first["personRefId"]]
    assert created["typeSlug"] == "person"
    assert created["data"] == {"name": "Grace", "email": "grace@example.com"}
    assert second["personRefId"] == first["personRefId"]


def test_the_address_decides_before_the_telephone_number(api):
    """Where two persons match, the one with the address is meant."""
    by_email = api.create("lead", data={"email": "e@example.com"})["personRefId"]
    by_phone = api.create("lead", data={"phone": "12345"})["personRefId"]

    record = api.create("lead", data={"email": "e@example.com", "phone": "12345"})

    assert by_email != by_phone
    assert record["personRefId"] == by_email


@pytest.mark.parametrize("data", [{}, {"name": "Ada Lovelace"}, {"email": ""}, {"email": 7}, {"phone": "none"}])
def test_without_identity_nobody_is_attached(api, stub, data):
    """A name is no identity."""
    before = persons(stub)

    assert api.create("lead", data=data)["personRefId"] is None
    assert persons(stub) == before


def test_a_type_that_does_not_link_attaches_nobody(api, stub):
    """`personRefId` is for types with `linksToPerson`."""
    before = persons(stub)

    assert api.create("deal", data={"email": "new@example.com"})["personRefId"] is None
    assert persons(stub) == before
