"""Sub-projects and reports that are not what was requested or done."""

from __future__ import annotations

from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import templates

sub_project = Kind("sub-project")

REPORT = "The report shows what landed and what failed."


@sub_project("templates_apply", "Body: `name` (string), `variableValues` (object).")
def names_of_sub_projects_are_made_unique() -> None:
    new_project = templates.new_project

    def unique(call: Any, name: str) -> Json:
        same = sum(project["name"] == name for project in call.world.projects.values())
        return new_project(call, f"{name} ({same + 1})" if same else name)

    patch(templates, "new_project", unique)


@sub_project("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
def values_that_are_no_strings_are_missing() -> None:
    def strings(body: Json) -> None:
        body["variableValues"] = {
            name: value for name, value in body["variableValues"].items() if isinstance(value, str)
        }

    alter_body("templates_apply", strings)


@sub_project("templates_apply", REPORT)
def counts_include_what_failed() -> None:
    def counted(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        for failure in report["failures"]:
            report["counts"][failure["entity"]] += 1

    alter_value("templates_apply", counted)


@sub_project(
    "templates_apply",
    "A new sub-project is created under the parent project `{projectId}` and the template is applied to it.",
)
def a_failure_removes_the_sub_project() -> None:
    def removed(perform: Any, call: Any) -> Any:
        value = perform(call)
        if value["data"]["templateApply"]["report"]["failures"]:
            id = value["data"]["project"]["id"]
            del call.world.projects[id], call.world.members[id, call.user]
        return value

    wrap("templates_apply", removed)
