"""Endpoints 9: apply a template to a new sub-project."""

from __future__ import annotations

import re
import unicodedata

from project_platform_stub.http.errors import not_found
from project_platform_stub.world.domain import ObjectType
from project_platform_stub.world.permissions import OWNER, ROLES
from project_platform_stub.world.store import Contents, Project

from . import Call, Result, operation
from .support.template_parts import apply_parts

BUILT_IN_TYPES = (ObjectType("person", "Person"), ObjectType("company", "Company"))


@operation("templates_apply", "name", "variableValues")
def apply(call: Call) -> Result:
    """Create a sub-project of the project and apply a template to it; the report lists the result of each part."""
    template = call.project.templates.get(call.path["templateId"])
    if template is None:
        raise not_found("The project has no such template.", "template_not_found")
    name = call.body["name"]
    project = new_project(call.world, call.timestamp, name, parent=call.project.id)
    project.members[call.caller.id] = OWNER
    report = apply_parts(template, call.body.get("variableValues", {}), project, call)
    failed = len(report["failures"])
    outcome = {
        "status": "partial" if failed else "applied",  # the specification shows only `applied`
        "report": report,
        "error": f"{failed} of the template's parts could not be applied." if failed else None,
    }
    return Result(
        {
            "success": True,
            "data": {
                "project": {"id": project.id, "name": name, "slug": project.slug, "createdAt": project.created_at},
                "templateApply": outcome,
            },
        }
    )


def new_project(
    world: Contents, created_at: str, name: str, *, parent: str | None = None, id: str | None = None
) -> Project:
    """Add a project with only the built-in roles and object types."""
    project = world.projects.add(id or world.new_uuid(), name, _free_slug(world, name), created_at, parent)
    project.roles.update(ROLES)
    project.object_types.update({object_type.slug: object_type for object_type in BUILT_IN_TYPES})
    return project


def _free_slug(world: Contents, name: str) -> str:
    plain = unicodedata.normalize("NFKD", name).encode("ascii", "ignore").decode().lower()
    slug = re.sub(r"[^a-z0-9]+", "-", plain).strip("-") or "project"
    taken = {project.slug for project in world.projects.values()}
    number = 1
    while (candidate := slug if number == 1 else f"{slug}-{number}") in taken:
        number += 1
    return candidate
