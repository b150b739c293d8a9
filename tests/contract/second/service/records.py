"""Endpoints 3 and 4: create and update object records."""

from __future__ import annotations

from copy import deepcopy
from typing import Any
from uuid import uuid4

from . import app
from .app import Call, Refusal, operation
from .checks import checked, mapping, text
from .world import Json, now


@operation("records_create", "POST /projects/{projectId}/object-records", needs="crm_objects:write")
def create(call: Call) -> Json:
    """Create a record; an externalId that another record of the type has is a conflict."""
    body = checked(call, ("typeSlug",), typeSlug=text(1), data=mapping, externalId=text(1), relations=mapping)
    if body["typeSlug"] not in call.world.types:
        raise Refusal(404, "There is no such object type.", "unknown_type")
    require_unused(call, body.get("externalId"), body["typeSlug"], None)
    at = now()
    record = {
        "id": str(uuid4().int % 10**12),
        "typeSlug": body["typeSlug"],
        "externalId": body.get("externalId"),
        "data": merged({}, body.get("data", {})),
        "status": "active",
        "relations": body.get("relations", {}),
        "createdAt": at,
        "updatedAt": at,
        "createdBy": call.user,
        "updatedBy": call.user,
    }
    link(call, record, record["data"])
    call.world.records[call.project, record["id"]] = record
    return {"record": shown(record)}


@operation("records_update", "PATCH /projects/{projectId}/object-records/{recordId}", needs="crm_objects:write")
def update(call: Call) -> Json:
    body = checked(
        call, (), data=mapping, externalId=text(1), expectedData=mapping, expectedStatus=text(), relations=mapping
    )
    record = call.find("records", call.path["recordId"], "record")
    if stale(record, body):
        raise Refusal(409, "The record has changed.", "stale")
    require_unused(call, body.get("externalId"), record["typeSlug"], record["id"])
    apply_changes(call, record, body)
    return {"record": shown(record)}


def apply_changes(call: Call, record: Json, body: Json) -> None:
    changes = body.get("data", {})
    record["data"] = merged(record["data"], changes)
    if "externalId" in body:
        record["externalId"] = body["externalId"]
    record["relations"] = {**record["relations"], **body.get("relations", {})}
    record["updatedAt"] = now()
    record["updatedBy"] = call.user
    link(call, record, changes)


def stale(record: Json, body: Json) -> bool:
    """Return whether a precondition does not hold."""
    return stale_data(record, body) or stale_status(record, body)


def stale_data(record: Json, body: Json) -> bool:
    return "expectedData" in body and not contains(record["data"], body["expectedData"])


def stale_status(record: Json, body: Json) -> bool:
    return "expectedStatus" in body and body["expectedStatus"] != record["status"]


def contains(have: Any, want: Any) -> bool:
    """Return whether a value contains another: objects by their members, arrays element by element."""
    if isinstance(want, dict):
        return isinstance(have, dict) and all(key in have and contains(have[key], part) for key, part in want.items())
    if isinstance(want, list):
        return isinstance(have, list) and len(have) == len(want) and all(map(contains, have, want))
    if isinstance(want, bool) or isinstance(have, bool):
        return have is want
    return bool(have == want)


def merged(old: Json, changes: Json) -> Json:
    """Return the merge of an object with changes, at every depth (RFC 7396)."""
    result = deepcopy(old)
    for key, value in changes.items():
        if value is None:
            result.pop(key, None)
        elif isinstance(value, dict) and isinstance(result.get(key), dict):
            result[key] = merged(result[key], value)
        else:
            result[key] = deepcopy(value)
    return result


def link(call: Call, record: Json, identity: Json) -> None:
    """Attach the person with the email address in the data, or a new one, to a record of a person-linked type."""
    address = identity_of(identity)
    if not call.world.types[record["typeSlug"]] or address is None:
        return
    persons = call.world.persons
    record["personRefId"] = persons.setdefault((call.project, address), f"per-{len(persons) + 1:05}")


def identity_of(data: Json) -> str | None:
    """Return the email address in the data, as it is compared."""
    address = data.get("email")
    return address.strip().lower() if isinstance(address, str) and "@" in address else None


def require_unused(call: Call, external_id: str | None, type_slug: str, owner: str | None) -> None:
    """Refuse an externalId that another record of the type has."""
    if external_id is None:
        return
    for (project, id), record in call.world.records.items():
        same = (project, record["externalId"], record["typeSlug"]) == (call.project, external_id, type_slug)
        if same and id != owner:
            raise Refusal(409, "Another record has this externalId.", "duplicate")


def shown(record: Json) -> Json:
    """Return the record of a response: without its relations, which are not a field, and with an extra member."""
    result = {name: deepcopy(value) for name, value in record.items() if name != "relations"}
    result["displayName"] = next(
        (str(result["data"][name]) for name in ("title", "name") if name in result["data"]), ""
    )
    return {**result, **app.noise("version")}
