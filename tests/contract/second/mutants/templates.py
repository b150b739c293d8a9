"""Reports of templates, and sub-projects, that are wrong."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import templates

reports = Kind("template report")


COUNTS = "`report.counts`: integers `objectTypes`, `objectRelations`, `roles`, `workflows`, `sidebarSections`, `perRoleHides`."


REPORT = "The report shows what landed and what failed."


FAILURES = "`report.failures`: array of {entity, name, error, code}."


MISSING = "`report.missingVariables`: array of string."


CREATED = "A new sub-project is created under the parent project `{projectId}` and the template is applied to it."


PROJECT = "`project`: {id (uuid), name, slug, createdAt (date-time)}."


VARIABLES = "`variableValues` supplies values for each `{{variable}}` the template declares."


def report(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the report of a template."""
    reports.add(
        name,
        "templates_apply",
        sentence,
        lambda: alter_value("templates_apply", lambda value: change(value["data"]["templateApply"]["report"])),
    )


report("all counts of a report are zero", COUNTS, lambda value: value.update(counts=dict.fromkeys(value["counts"], 0)))


report("a report does not count roles", COUNTS, lambda value: value["counts"].pop("roles"))


report("a report counts sidebar sections as null", COUNTS, lambda value: value["counts"].update(sidebarSections=None))


report(
    "counts of a report are doubled",
    REPORT,
    lambda value: value.update(counts={name: 2 * count for name, count in value["counts"].items()}),
)


report(
    "nothing is counted as applied if a part failed",
    REPORT,
    lambda value: value.update(appliedCount=0 if value["failures"] else value["appliedCount"]),
)


report(
    "the applied count is a text",
    "`report.appliedCount`: integer.",
    lambda value: value.update(appliedCount=f"{value['appliedCount']} parts"),
)


report(
    "failures are listed as skipped",
    FAILURES,
    lambda value: value.update(skipped=value["skipped"] + value["failures"], failures=[]),
)


report(
    "failures have no error",
    FAILURES,
    lambda value: value.update(failures=[{**part, "error": None} for part in value["failures"]]),
)


report(
    "failures have no name",
    FAILURES,
    lambda value: value.update(failures=[{**part, "name": ""} for part in value["failures"]]),
)


report(
    "failures have no kind",
    FAILURES,
    lambda value: value.update(
        failures=[{key: text for key, text in part.items() if key != "entity"} for part in value["failures"]]
    ),
)


report(
    "failures have numbers for codes",
    FAILURES,
    lambda value: value.update(failures=[{**part, "code": 500} for part in value["failures"]]),
)


report("a failure is listed twice", FAILURES, lambda value: value.update(failures=value["failures"] * 2))


report(
    "missing variables are counted",
    MISSING,
    lambda value: value.update(missingVariables=len(value["missingVariables"])),
)


def missing(name: str, change: Callable[[Json, Json, list[str]], list[str]]) -> None:
    """Register a mutant with other missing variables, given the template, the values and the right ones."""

    def apply() -> None:
        original = templates.missing_variables
        patch(
            templates,
            "missing_variables",
            lambda template, values: change(template, values, original(template, values)),
        )

    reports.add(name, "templates_apply", MISSING, apply)


missing("all variables are missing if one is", lambda template, values, right: template["variables"] if right else [])


missing("no variable is missing if one is given", lambda template, values, right: [] if values else right)


missing(
    "variables with values are listed as missing",
    lambda template, values, right: [name for name in template["variables"] if name in values],
)


missing(
    "undeclared variables are listed as missing",
    lambda template, values, right: [*right, *(name for name in values if name not in template["variables"])],
)


def project(name: str, sentence: str, change: Callable[[Json], Any]) -> None:
    """Register a mutant that changes the sub-project of a response."""
    reports.add(
        name,
        "templates_apply",
        sentence,
        lambda: alter_value("templates_apply", lambda value: change(value["data"]["project"])),
    )


project("the name of a sub-project is in title case", CREATED, lambda value: value.update(name=value["name"].title()))


project(
    "the name of a sub-project is cut after 30 characters", CREATED, lambda value: value.update(name=value["name"][:30])
)


project(
    "the name of a sub-project is ASCII",
    CREATED,
    lambda value: value.update(name=value["name"].encode("ascii", "ignore").decode()),
)


project("a sub-project has no slug", PROJECT, lambda value: value.update(slug=""))


project("a sub-project was created on a day", PROJECT, lambda value: value.update(createdAt=value["createdAt"][:10]))


project("the identifier of a sub-project has a prefix", PROJECT, lambda value: value.update(id=f"prj_{value['id']}"))


@reports("templates_apply", CREATED)
def a_sub_project_with_the_same_name_is_the_same_one() -> None:
    first: dict[str, Any] = {}
    wrap("templates_apply", lambda perform, call: deepcopy(first.setdefault(call.body["name"], perform(call))))


@reports("templates_apply", VARIABLES)
def the_case_of_variable_names_is_ignored_in_the_report() -> None:
    alter_body(
        "templates_apply",
        lambda body: (
            body.update(variableValues={name.upper(): value for name, value in body["variableValues"].items()})
            if isinstance(body.get("variableValues"), dict)
            else None
        ),
    )


@reports("templates_apply", VARIABLES)
def values_that_are_not_texts_are_missing() -> None:
    original = templates.missing_variables
    patch(
        templates,
        "missing_variables",
        lambda template, values: original(
            template, {name: value for name, value in values.items() if isinstance(value, str)}
        ),
    )


@reports("templates_apply", REPORT)
def there_is_no_report_if_a_part_failed() -> None:
    alter_value(
        "templates_apply",
        lambda value: (
            value["data"]["templateApply"].update(report=None)
            if value["data"]["templateApply"]["report"]["failures"]
            else None
        ),
    )
