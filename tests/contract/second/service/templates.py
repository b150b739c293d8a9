"""Endpoints 9: apply a template to a new sub-project."""

from __future__ import annotations

import re
from uuid import uuid4

from .app import Call, Refusal, operation
from .checks import checked, mapping, text
from .world import Json, now

COUNTS = ("objectTypes", "objectRelations", "roles", "workflows", "sidebarSections", "perRoleHides")
_VARIABLE = re.compile(r"\{\{(\w+)\}\}")


@operation("templates_apply", "POST /projects/{projectId}/templates/{templateId}/apply", needs="sub_projects:write")
def apply(call: Call) -> Json:
    """Apply a template; a part that needs a variable without a value is skipped."""
    body = checked(call, ("name",), name=text(1), variableValues=mapping)
    if not body["name"].strip():
        raise Refusal(422, "The name is blank.", "invalid")
    template = call.find("templates", call.path["templateId"], "template")
    values = {name: value for name, value in body.get("variableValues", {}).items() if value is not None}
    project = new_project(call, body["name"])
    counts, skipped, failures = dict.fromkeys(COUNTS, 0), [], []
    for part in template["parts"]:
        needed = set(_VARIABLE.findall(part["text"]))
        if part.get("broken"):
            failures.append(
                {"entity": part["kind"], "name": part["name"], "error": "It cannot be applied.", "code": "broken"}
            )
        elif needed - values.keys():
            skipped.append({"entity": part["kind"], "name": part["name"]})
        else:
            counts[part["kind"]] += 1
    missing = missing_variables(template, values)
    report = {
        "counts": counts,
        "appliedCount": sum(counts.values()),
        "skipped": skipped,
        "failures": failures,
        "missingVariables": missing,
    }
    whole = not (skipped or failures)
    outcome = {
        "status": "applied" if whole else "incomplete",
        "report": report,
        "error": None if whole else "See the report.",
    }
    return {"success": True, "data": {"project": project, "templateApply": outcome}}


def missing_variables(template: Json, values: Json) -> list[str]:
    return [name for name in template["variables"] if name not in values]


def new_project(call: Call, name: str) -> Json:
    id = str(uuid4())
    call.world.projects[id] = {"name": name, "parent": call.project}
    call.world.members[id, call.user] = "owner"
    call.world.agents[id], call.world.calendars[id] = [], call.world.calendars[call.project]
    slug = re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-") or "project"
    return {"id": id, "name": name, "slug": f"{slug}-{id[:4]}", "createdAt": now()}
