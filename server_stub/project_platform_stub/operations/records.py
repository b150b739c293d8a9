"""Endpoints 3 and 4: create and update object records.

Assumed, because the specification does not state their source: `status`, `amountCents` and `currency` of a record mirror
the fields of the same name in its data, `displayName` its title, name, display name or email.
"""

from __future__ import annotations

from decimal import Decimal

from project_platform_stub.contract import load_contract
from project_platform_stub.http.errors import bad_request, conflict, not_found
from project_platform_stub.http.messages import write_json
from project_platform_stub.operations.support.jsonb import (
    TooManyStepsError,
    contains,
    merged,
    merged_data,
)
from project_platform_stub.world.domain import Json, ObjectType
from project_platform_stub.world.store import Project

from . import Call, Result, operation
from .support.persons import PERSON, Persons, carries_identity

DEFAULT_STATUS = "open"
_RECORD = load_contract().schema_fields("ObjectRecord")


@operation("records_create", "typeSlug", "data", "externalId", "relations")
def create(call: Call) -> Result:
    """Create a record; on a type that links to persons, attach the person it identifies or create one."""
    body = call.body
    object_type = call.project.object_types.get(body["typeSlug"])
    if object_type is None:
        raise bad_request("body.typeSlug", "is not an object type of the project")
    external_id = body.get("externalId")
    if external_id is not None and call.profile.external_id != "free":
        for twin in call.project.records.values():
            if (twin["typeSlug"], twin["externalId"]) == (object_type.slug, external_id):
                if call.profile.external_id == "unique":
                    raise conflict(f"body.externalId: is already in use by {twin['id']}", "duplicate_external_id")
                return Result({"record": _changed(call, twin)})
    data = merged_data({}, body.get("data", {}), call.profile)  # drops null values, as an update does
    record = {
        **new_record(call.world.new_id("rec"), object_type, data, call.timestamp, call.caller.id),
        "externalId": external_id,
        "personRefId": _person(call, object_type, data, data),
    }
    call.project.records[record["id"]] = record
    call.project.relations[record["id"]] = body.get("relations", {})
    return Result({"record": record})


@operation("records_update", "data", "externalId", "relations", "expectedData", "expectedStatus")
def update(call: Call) -> Result:
    """Merge into a record's data, unless a precondition is stale: then nothing changes."""
    body = call.body
    record = call.project.records.get(call.path["recordId"])
    if record is None:
        raise not_found("The project has no such record.", "record_not_found")
    if not _holds(call, record["data"], body.get("expectedData", {})):
        raise conflict("expectedData is stale; the record is unchanged.", "stale_precondition")
    if "expectedStatus" in body and body["expectedStatus"] != record["status"]:
        raise conflict("expectedStatus is stale; the record is unchanged.", "stale_precondition")

    return Result({"record": _changed(call, record)})


def _holds(call: Call, data: Json, expected: Json) -> bool:
    try:
        return contains(data, expected, call.profile.containment_arrays)
    except TooManyStepsError:
        raise bad_request(
            "body.expectedData", "takes too long to compare; expect fewer elements of long arrays"
        ) from None


def _changed(call: Call, record: Json) -> Json:
    """Merge the body into a record and return the updated record."""
    body, changes = call.body, call.body.get("data", {})
    data = merged_data(record["data"], changes, call.profile)
    object_type = call.project.object_types[record["typeSlug"]]
    updated = {
        **record,
        **mirrored(object_type, data),
        "data": data,
        "externalId": body.get("externalId", record["externalId"]),
        # Changes only if the update contains identity data.
        "personRefId": _person(call, object_type, data, changes) or record["personRefId"],
    }
    related = call.project.relations[record["id"]]
    relations = merged(related, body.get("relations", {}))
    # Compared as JSON, because in Python True == 1.
    changed = write_json([updated, relations]) != write_json([record, related])
    if changed or call.profile.no_op_update == "touch":
        updated |= {"updatedAt": call.timestamp, "updatedBy": call.caller.id}
        call.project.records[record["id"]] = updated
    if changed:
        call.project.relations[record["id"]] = relations
    return updated


def new_record(id: str, object_type: ObjectType, data: Json, timestamp: str, author: str | None) -> Json:
    """Return a new record without links, which is not added to the project."""
    values = {
        "id": id,
        "typeSlug": object_type.slug,
        **mirrored(object_type, data),
        "data": data,
        "createdAt": timestamp,
        "updatedAt": timestamp,
        "createdBy": author,
        "updatedBy": author,
    }
    return {name: values.get(name) for name in _RECORD}


def add_person(project: Project, id: str, data: Json, timestamp: str, author: str | None) -> Json:
    """Add the person that a record's data identifies to a project, and return it."""
    known = {key: data[key] for key in ("name", "email", "phone") if isinstance(data.get(key), str)}
    person = new_record(id, project.object_types[PERSON], known, timestamp, author)
    project.records[id] = person
    project.relations[id] = {}
    return person


def mirrored(object_type: ObjectType, data: Json) -> Json:
    """Return the fields of a record that mirror its data."""
    names = (data.get(key) for key in ("title", "name", "displayName", "email"))
    status, currency = data.get("status"), data.get("currency")
    return {
        "displayName": next((name for name in names if isinstance(name, str) and name.strip()), object_type.name),
        "amountCents": _cents(data.get("amountCents")),
        "currency": currency if isinstance(currency, str) else None,
        "status": status if isinstance(status, str) else DEFAULT_STATUS,
    }


def _cents(value: object) -> str | None:
    """Return an amount, given as a string or a number, as the string of digits that the service returns."""
    if isinstance(value, bool) or not isinstance(value, str | int | Decimal):
        return None
    text = str(value)
    return text if text.removeprefix("-").isdecimal() and text.isascii() else None


def _person(call: Call, object_type: ObjectType, data: Json, changes: Json) -> str | None:
    """Return the person that a record's data identifies, if its type links to persons and `changes` has identity data."""
    if not object_type.links_to_person or not carries_identity(changes):
        return None
    found = Persons(call.project.records.all()).find(data)
    if found is None and carries_identity(data):
        person = add_person(call.project, call.world.new_id("rec"), data, call.timestamp, call.caller.id)
        return str(person["id"])
    return found
