"""The parts of templates in a project of a stub: no operation shows the content of a project."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, Final

from ..support.json_equality import with_texts

_VARIABLE: Final = re.compile(r"\{\{(\w+)\}\}")


def counts_of(project: Any, bare: Any) -> dict[str, int]:
    """Return the counts of a report on a project of the stub.

    Args:
        project: The project that the template was applied to.
        bare: A project without a template, which has only what is built in.
    """
    return {
        "objectTypes": len(project.object_types.keys() - bare.object_types.keys()),
        "objectRelations": len(project.object_relations),
        "roles": len(project.roles.keys() - bare.roles.keys()),
        "workflows": len(project.workflows),
        "sidebarSections": len(project.sidebar),
        "perRoleHides": len(project.hides),
    }


def parts_of(project: Any, part: Any, values: Mapping[str, Any]) -> list[Any]:
    """Return what a project of a stub has of a part of a template, with the values of its variables; permissions have no order."""
    found: Mapping[str, Any] = {
        "objectType": [
            {"slug": kind.slug, "name": kind.name, "linksToPerson": kind.links_to_person}
            for kind in project.object_types.values()
        ],
        "objectRelation": list(project.object_relations.values()),
        "role": [{"name": name, "permissions": permissions} for name, permissions in project.roles.items()],
        "workflow": list(project.workflows.values()),
        "sidebarSection": project.sidebar,
        "perRoleHide": project.hides,
    }
    # In one step: a value may look like another variable.
    body = with_texts(part.body, lambda text: _VARIABLE.sub(lambda name: str(values.get(name[1], name[0])), text))
    return [
        item
        for item in found[part.entity]
        if all(
            set(item["permissions"]) == set(value) if name == "permissions" else item.get(name) == value
            for name, value in body.items()
        )
    ]
