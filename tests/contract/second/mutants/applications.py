"""Templates that are applied in part, twice, with other values or by callers that may not, and reports that are wrong."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import app, templates
from ..service.app import Call, Refusal

applied = Kind("applied template")
reports = Kind("report of an application")

NEW = "A new sub-project is created under the parent project `{projectId}` and the template is applied to it."
VALUES = "`variableValues` supplies values for each `{{variable}}` the template declares."
REPORT = "The report shows what landed and what failed."
ALLOWED = "The permission `sub_projects:write` on the parent project is required."
PROJECT = "`project`: {id (uuid), name, slug, createdAt (date-time)}."
FAILURES = "`report.failures`: array of {entity, name, error, code}."


def report(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that answers another outcome, which it changes in place."""
    reports.add(
        name,
        "templates_apply",
        sentence,
        lambda: alter_value("templates_apply", lambda value: change(value["data"]["templateApply"])),
    )


def project(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that answers another sub-project, which it changes in place."""
    applied.add(
        name,
        "templates_apply",
        sentence,
        lambda: alter_value("templates_apply", lambda value: change(value["data"]["project"])),
    )


def as_skipped(outcome: Json) -> None:
    """Move the failures of a report to what was skipped."""
    found = outcome["report"]
    found["skipped"] += [{name: each[name] for name in ("entity", "name")} for each in found["failures"]]
    found["failures"] = []


def with_the_last_name(outcome: Json) -> None:
    """Give all failures the name of the last."""
    for each in outcome["report"]["failures"]:
        each["name"] = outcome["report"]["failures"][-1]["name"]


def with_all_parts(outcome: Json) -> None:
    """Count all parts as applied."""
    found = outcome["report"]
    found["appliedCount"] += len(found["skipped"]) + len(found["failures"])


report("all parts are counted as applied", "`report.appliedCount`: integer.", with_all_parts)


report("failures are skipped parts", REPORT, as_skipped)


report("failures have the name of the last", FAILURES, with_the_last_name)


@reports("templates_apply", REPORT)
def an_application_with_failures_has_no_report() -> None:
    def refused(perform: Any, call: Call) -> Any:
        value = perform(call)
        if value["data"]["templateApply"]["report"]["failures"]:
            raise Refusal(422, "The template cannot be applied.", "template_failed")
        return value

    wrap("templates_apply", refused)


@reports("templates_apply", VALUES)
def values_of_earlier_applications_are_used_again() -> None:
    known: Json = {}

    def remembered(body: Json) -> None:
        known.update({name: value for name, value in body.get("variableValues", {}).items() if value is not None})
        body["variableValues"] = dict(known)

    alter_body("templates_apply", remembered)


@reports("templates_apply", REPORT)
def values_with_a_backslash_make_parts_fail() -> None:
    find = templates.find_template

    def find_template(call: Call) -> Json:
        template = find(call)
        values = call.body.get("variableValues", {})
        invalid = {f"{{{{{name}}}}}" for name, value in values.items() if "\\" in str(value)}
        parts = [
            {**part, "broken": part.get("broken", False) or any(name in part["text"] for name in invalid)}
            for part in template["parts"]
        ]
        return {**template, "parts": parts}

    patch(templates, "find_template", find_template)


@reports("templates_apply", NEW)
def object_types_of_earlier_sub_projects_are_skipped() -> None:
    known: set[str] = set()

    def skipped(perform: Any, call: Call) -> Any:
        value = perform(call)
        names = {part["name"] for part in templates.find_template(call)["parts"] if part["kind"] == "objectTypes"}
        found = value["data"]["templateApply"]["report"]
        again = min(len(names & known), found["counts"]["objectTypes"])
        found["counts"]["objectTypes"] -= again
        found["appliedCount"] -= again
        found["skipped"] += [{"entity": "objectTypes", "name": name} for name in sorted(names & known)[:again]]
        known.update(names)
        return value

    wrap("templates_apply", skipped)


@applied("templates_apply", NEW)
def a_sub_project_with_a_known_name_is_used_again() -> None:
    create = templates.new_project
    known: dict[tuple[str, str], Json] = {}

    def new_project(call: Call, name: str) -> Json:
        if (call.project, name) not in known:
            known[call.project, name] = create(call, name)
        return known[call.project, name]

    patch(templates, "new_project", new_project)


project(
    "accents of the names of sub-projects are removed", PROJECT, lambda found: found.update(name=plain(found["name"]))
)


project(
    "the time of the creation of a sub-project is a day",
    PROJECT,
    lambda found: found.update(createdAt=found["createdAt"][:10]),
)


def plain(name: str) -> str:
    """Return a name without accents."""
    return "".join(part for part in unicodedata.normalize("NFKD", name) if not unicodedata.combining(part))


@applied("templates_apply", ALLOWED)
def the_role_of_the_first_caller_is_that_of_all_members() -> None:
    allow = app.allows
    known: set[str] = set()

    def allows(role: str, permission: str) -> bool:
        if permission == "sub_projects:write" and allow(role, permission):
            known.add(permission)
        return permission in known or allow(role, permission)

    patch(app, "allows", allows)
