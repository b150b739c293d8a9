"""The rules of templates in a world file: every part can be applied, unless it has `fails`.

So every failure in the report of a template is one that the file plans.
"""

from __future__ import annotations

from typing import Any

from project_platform_stub.documents.document import Document, Problems, did_you_mean
from project_platform_stub.documents.schema import packaged_schema
from project_platform_stub.documents.syntax import Place
from project_platform_stub.operations.support.template_parts import COUNTED, VARIABLE
from project_platform_stub.operations.templates import BUILT_IN_TYPES
from project_platform_stub.world.domain import Json
from project_platform_stub.world.permissions import PERMISSIONS, ROLES

from .names import Names, items


def entity_of(part: Json) -> str:
    """Return the kind of the entity that a part creates."""
    return next(entity for entity in COUNTED if entity in part)


def check_template(document: Document, problems: Problems, place: Place, template: Json) -> None:
    """Add a problem for each part that would fail and has no `fails`."""
    check = _TemplateCheck(document, problems, template)
    for at, part in items(place, template, "parts"):
        check.part(at, part)


class _TemplateCheck:
    """The checks of one template, part by part: a part may refer to entities that earlier parts create."""

    def __init__(self, document: Document, problems: Problems, template: Json) -> None:
        self._problems = problems
        self._variables = template.get("variables", ())
        self._types = Names(
            document, problems, "object type at this point", (built_in.slug for built_in in BUILT_IN_TYPES)
        )
        self._roles = Names(document, problems, "role at this point", ROLES)

    def part(self, place: Place, part: Json) -> None:
        """Add the problems of a part."""
        entities = [entity for entity in COUNTED if entity in part]
        if len(entities) != 1:
            self._problems.add(place, f"must have exactly one of {', '.join(COUNTED)}, and optionally fails")
            return
        if "fails" in part:
            return
        entity, body = entities[0], part[entities[0]]
        self._check_variables((*place, entity), body)
        match entity:
            case "objectType":
                self._land(self._types, (*place, entity), body["slug"])
            case "objectRelation":
                for end in ("from", "to"):
                    self._require(self._types, (*place, entity, end), body[end])
            case "role":
                self._check_permissions((*place, entity), body)
                self._land(self._roles, (*place, entity), body["name"])
            case "workflow":
                self._check_limits((*place, entity), body)
            case "perRoleHide":
                self._require(self._roles, (*place, entity, "role"), body["role"])

    def _land(self, names: Names, place: Place, name: str) -> None:
        if name not in names:  # an entity that exists already is skipped, which is not a failure
            names.add_name(place, name)

    def _require(self, names: Names, place: Place, name: str) -> None:
        if not VARIABLE.search(name):  # the value of a variable is not known here
            names.require(place, name)

    def _check_variables(self, place: Place, value: Any) -> None:
        match value:
            case str():
                for name in VARIABLE.findall(value):
                    if name not in self._variables:
                        hint = did_you_mean(name, self._variables)
                        self._problems.add(place, f'"{name}" is not a variable of this template{hint}')
            case dict():
                for key, member in value.items():
                    self._check_variables((*place, key), member)
            case list():
                for index, member in enumerate(value):
                    self._check_variables((*place, index), member)

    def _check_permissions(self, place: Place, role: Json) -> None:
        for index, permission in enumerate(role["permissions"]):
            if permission not in PERMISSIONS and not VARIABLE.search(permission):
                hint = did_you_mean(permission, PERMISSIONS)
                self._problems.add((*place, "permissions", index), f'"{permission}" is not a permission{hint}')

    def _check_limits(self, place: Place, workflow: Json) -> None:
        """Add a problem for each string that breaks a limit of workflows, unless it contains variables."""
        rules: Json = packaged_schema("world_file/world.schema.json")["$defs"]["workflow"]["properties"]
        for name, rule in rules.items():
            if "maxLength" in rule and name in workflow:
                self._check_length((*place, name), workflow[name], rule)
        tags = workflow.get("tags", ())
        if len(tags) > rules["tags"]["maxItems"]:
            self._problems.add(
                (*place, "tags"), f"has {len(tags)} items; at most {rules['tags']['maxItems']} are allowed"
            )
        for index, tag in enumerate(tags):
            self._check_length((*place, "tags", index), tag, rules["tags"]["items"])

    def _check_length(self, place: Place, text: str, rule: Json) -> None:
        least, most = rule.get("minLength", 0), rule["maxLength"]
        if not VARIABLE.search(text) and not least <= len(text) <= most:
            self._problems.add(place, f"has {len(text)} characters; {least} to {most} are allowed")
