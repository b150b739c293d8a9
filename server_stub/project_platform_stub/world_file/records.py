"""The records of a world file, linked to persons by the same rule as in the service."""

from __future__ import annotations

from project_platform_stub.operations.records import add_person, new_record
from project_platform_stub.operations.support.jsonb import merged
from project_platform_stub.operations.support.persons import Persons, carries_identity
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
    author = scope.identities[item["createdBy"]] if "createdBy" in item else next(iter(scope.project.members), None)
    return {
        **new_record(id, scope.project.object_types[item["type"]], data, "", author),
        "externalId": item.get("externalId"),
        "occurredAt": scope.time(item, "occurredAt"),
        "providerExternalId": item.get("providerExternalId"),
        **scope.timestamps(item),
        "updatedBy": scope.identities[item["updatedBy"]] if "updatedBy" in item else author,
    }


def _link(scope: Scope, ids: list[str]) -> None:
    """Link each record of a type that links to persons to the person that its data identifies."""
    records, types = scope.project.records, scope.project.object_types
    persons = Persons(records.all())
    for record in map(records.__getitem__, ids):
        if types[record["typeSlug"]].links_to_person and carries_identity(record["data"]):
            person = persons.find(record["data"])
            if person is None:
                author, id = record["createdBy"], scope.world.ids.short("rec")
                new = add_person(scope.project, id, record["data"], record["createdAt"], author)
                persons.add(new)
                person = new["id"]
            records[record["id"]] = {**record, "personRefId": person}
