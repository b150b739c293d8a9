"""Object types and records of the demo world."""

from __future__ import annotations

from typing import Any

from project_platform_stub.operations.records import mirrored
from project_platform_stub.world.domain import Json, ObjectType
from project_platform_stub.world.store import Contents, Project

_TYPES = (ObjectType("deal", "Deal"), ObjectType("lead", "Lead", links_to_person=True))

_RECORDS: tuple[tuple[str, Json], ...] = (
    ("person", {"name": "Ada Lovelace", "email": "ada@example.com", "phone": "+44 20 7946 0000"}),
    ("company", {"name": "Analytical Engines Ltd"}),
    (
        "deal",
        {
            "title": "New roof",
            "stage": "open",
            "status": "open",
            "amountCents": "1250000",
            "currency": "EUR",
            "tags": ["roof", "north"],
            "site": {"city": "Köln", "storeys": 2},
        },
    ),
    ("deal", {"title": "Solar panels", "stage": "won", "status": "won", "amountCents": "480000", "currency": "EUR"}),
    ("lead", {"name": "Ada Lovelace", "email": "ada@example.com", "source": "fair"}),
)


def add_types(project: Project) -> None:
    """Add the custom object types."""
    project.object_types.update({object_type.slug: object_type for object_type in _TYPES})


def add_records(world: Contents, project: Project, created_at: str) -> None:
    """Add records; the lead is linked to the person that its data identifies."""
    person: str | None = None
    for type_slug, data in _RECORDS:
        object_type = project.object_types[type_slug]
        record: dict[str, Any] = {
            "id": world.ids.short("rec"),
            "typeSlug": type_slug,
            **mirrored(object_type, data),
            "externalId": None,
            "data": data,
            "personRefId": person if object_type.links_to_person else None,
            "companyRefId": None,
            "occurredAt": None,
            "providerExternalId": None,
            "createdAt": created_at,
            "updatedAt": created_at,
            "createdBy": "user_owner",
            "updatedBy": "user_owner",
        }
        if type_slug == "person":
            person = record["id"]
        project.records[record["id"]] = record
        project.relations[record["id"]] = {}
