"""Applies the parts of a template to a new project: substitutes variables, checks and adds each part independently.

A part that fails, or exists already, does not prevent the others from being applied; the report lists every part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache, partial
from typing import Any

from jsonschema_rs import Draft202012Validator

from project_platform_stub.contract import load_contract
from project_platform_stub.documents.document import with_strings
from project_platform_stub.documents.schema import describe_kind
from project_platform_stub.http.messages import write_json
from project_platform_stub.operations import Call
from project_platform_stub.operations.workflows import add_workflow
from project_platform_stub.world.domain import Json, ObjectType, Part, Template
from project_platform_stub.world.permissions import PERMISSIONS
from project_platform_stub.world.store import Project

VARIABLE = re.compile(r"\{\{\s*([A-Za-z_][A-Za-z0-9_.-]*)\s*\}\}", re.ASCII)


class PartError(Exception):
    """The part cannot be applied.

    Attributes:
        code: The `code` of the failure in the report.
        value: The text in the part that prevents it, if one does.
    """

    def __init__(self, message: str, code: str, value: str = "") -> None:
        super().__init__(message)
        self.code = code
        self.value = value


def apply_parts(template: Template, values: Mapping[str, Any], project: Project, call: Call) -> Json:
    """Apply a template's parts to a project, in order, and return the report. Values of undeclared variables are ignored."""
    texts = {name: _text(values[name]) for name in template.variables if values.get(name) is not None}
    counts = {f"{entity}s": 0 for entity in APPLIERS}
    skipped: list[Json] = []
    failures: list[Json] = []
    for part in template.parts:
        named = {"entity": part.entity, "name": _name(part.body)}
        try:
            if part.fails is not None:
                raise PartError(part.fails["error"], part.fails["code"])  # noqa: TRY301  # reported like any other failure
            if apply_part(part, texts, project, call):
                counts[f"{part.entity}s"] += 1
            else:
                skipped.append(named)
        except PartError as error:
            failures.append({**named, "error": str(error), "code": error.code})
    return {
        "counts": counts,
        "appliedCount": sum(counts.values()),
        "skipped": skipped,
        "failures": failures,
        "missingVariables": [name for name in template.variables if name not in texts],
    }


def apply_part(part: Part, texts: Mapping[str, str], project: Project, call: Call) -> bool:
    """Apply a part with the texts of variables to a project, and return False if the project has it already.

    Raises:
        PartError: The part cannot be applied.
    """
    return APPLIERS[part.entity](with_strings(part.body, partial(_substituted, texts)), project, call)


def _object_type(body: Json, project: Project, call: Call) -> bool:
    if body["slug"] in project.object_types:
        return False
    project.object_types[body["slug"]] = ObjectType(body["slug"], body["name"], body.get("linksToPerson", False))
    return True


def _object_relation(body: Json, project: Project, call: Call) -> bool:
    for slug in (body["from"], body["to"]):
        if slug not in project.object_types:
            raise PartError(f"The object type {slug!r} does not exist.", "unknown_object_type", slug)
    if body["name"] in project.object_relations:
        return False
    project.object_relations[body["name"]] = body
    return True


def _role(body: Json, project: Project, call: Call) -> bool:
    if body["name"] in project.roles:
        return False
    unknown = [permission for permission in body["permissions"] if permission not in PERMISSIONS]
    if unknown:
        raise PartError(f"The permission {unknown[0]!r} does not exist.", "unknown_permission", unknown[0])
    project.roles[body["name"]] = frozenset(body["permissions"])
    return True


def _workflow(body: Json, project: Project, call: Call) -> bool:
    if call.caller.kind != "user":
        # Assumed: a service account may not create a workflow through a template either.
        raise PartError("A real user identity is required.", "real_user_required")
    # Only the first problem: the limits are those of workflows_create.
    if problem := next(iter(_workflow_validator().iter_errors(body)), None):
        place, value = ".".join(map(str, problem.instance_path)), problem.instance
        raise PartError(f"{place}: {describe_kind(problem.kind, value)}.", "invalid_workflow", str(value))
    add_workflow(call, project, {"description": "", **body})
    return True


@cache
def _workflow_validator() -> Draft202012Validator:
    schema = {"$ref": "#/components/schemas/CreateWorkflowBody", "components": load_contract().components}
    return Draft202012Validator(schema)


def _sidebar_section(body: Json, project: Project, call: Call) -> bool:
    if any(section.get("id") == body["id"] for section in project.sidebar):
        return False
    project.sidebar = [*project.sidebar, body]
    return True


def _per_role_hide(body: Json, project: Project, call: Call) -> bool:
    if body["role"] not in project.roles:
        raise PartError(f"The role {body['role']!r} does not exist.", "unknown_role", body["role"])
    project.hides = [*project.hides, body]
    return True


# By the kind of the entity that a part creates.
APPLIERS: dict[str, Callable[[Json, Project, Call], bool]] = {
    "objectType": _object_type,
    "objectRelation": _object_relation,
    "role": _role,
    "workflow": _workflow,
    "sidebarSection": _sidebar_section,
    "perRoleHide": _per_role_hide,
}


def _substituted(texts: Mapping[str, str], text: str) -> str:
    """Return a string with each `{{variable}}` replaced once; braces in a variable's value are literal text."""
    for name in VARIABLE.findall(text):
        if name not in texts:
            raise PartError(f"The variable {name!r} has no value.", "missing_variable")
    return VARIABLE.sub(lambda found: texts[found[1]], text)


def _text(value: Any) -> str:
    return value if isinstance(value, str) else write_json(value).decode()


def _name(body: Json) -> str:
    """Return the name of a part as in the template, with unreplaced variables."""
    return str(body.get("name") or body.get("label") or f"{body.get('role')}: {body.get('item')}")
