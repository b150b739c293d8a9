"""The records of a world file, linked to persons by the same rule as in the service."""

from __future__ import annotations

from project_platform_stub.operations.records import mirrored
from project_platform_stub.operations.support.jsonb import merged
from project_platform_stub.operations.support.persons import PERSON, Persons, carries_identity
from project_platform_stub.world.domain import Json

from .checks import SHORTHANDS
from .scope import Scope, ids_by_name


def add_records(scope: Scope, items: list[Json]) -> None:
    """Add records, and a person for each record whose data identifies one that the file does not have."""
    ids = [scope.id(item, "rec") for item in items]
    names = ids_by_name(items, ids)
    for item, id in zip(items, ids, strict=True):
        record = _record(scope, item, id)
        for kind in ("person", "company"):
            if item.get(kind) is not None:
                record[f"{kind}RefId"] = names[item[kind]]
        scope.project.records[id] = record
        scope.project.relations[id] = item.get("relations", {})
    _link(scope, [id for item, id in zip(items, ids, strict=True) if "person" not in item])


def _record(scope: Scope, item: Json, id: str) -> Json:
    # Null values are dropped, as by records_create.
    data = merged({}, {**item.get("data", {}), **{name: item[name] for name in SHORTHANDS if name in item}})
    author = scope.identities[item["createdBy"]] if "createdBy" in item else _first_member(scope)
    return {
        "id": id,
        "typeSlug": item["type"],
        **mirrored(scope.project.object_types[item["type"]], data),
        "externalId": item.get("externalId"),
        "data": data,
        "personRefId": None,
        "companyRefId": None,
        "occurredAt": scope.time(item, "occurredAt"),
        "providerExternalId": item.get("providerExternalId"),
        **scope.timestamps(item),
        "createdBy": author,
        "updatedBy": scope.identities[item["updatedBy"]] if "updatedBy" in item else author,
    }


def _first_member(scope: Scope) -> str | None:
    return next(iter(scope.project.members), None)


def _link(scope: Scope, ids: list[str]) -> None:
    """Link each record of a type that links to persons to the person that its data identifies."""
    records, types = scope.project.records, scope.project.object_types
    persons = Persons(records.all())
    for record in map(records.__getitem__, ids):
        if types[record["typeSlug"]].links_to_person and carries_identity(record["data"]):
            person = persons.find(record["data"])
            if person is None:
                new = _new_person(scope, record)
                persons.add(new)
                person = new["id"]
            records[record["id"]] = {**record, "personRefId": person}


def _new_person(scope: Scope, record: Json) -> Json:
    data = {key: record["data"][key] for key in ("name", "email", "phone") if isinstance(record["data"].get(key), str)}
    times = {"createdAt": record["createdAt"], "createdBy": record["createdBy"]}
    person = _record(scope, {"type": PERSON, "data": data}, scope.world.ids.short("rec"))
    person |= {**times, "updatedAt": times["createdAt"], "updatedBy": times["createdBy"]}
    scope.project.records[person["id"]] = person
    scope.project.relations[person["id"]] = {}
    return person
