"""Sub-projects and reports that are not what was requested or done."""

from __future__ import annotations

from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import templates
from ..service.workflows import is_real

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


@sub_project("templates_apply", REPORT)
def failures_of_an_application_are_listed_in_the_next_report() -> None:
    left: list[Json] = []

    def listed(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        before = list(left)
        left[:] = report["failures"]
        report["failures"] = [*before, *report["failures"]] if not report["failures"] else report["failures"]

    alter_value("templates_apply", listed)


@sub_project("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
def without_values_no_variable_is_missing() -> None:
    def none(perform: Any, call: Any) -> Any:
        value = perform(call)
        if not call.body.get("variableValues"):
            value["data"]["templateApply"]["report"]["missingVariables"] = []
        return value

    wrap("templates_apply", none)


@sub_project("templates_apply", "`project`: {id (uuid), name, slug, createdAt (date-time)}.")
def a_sub_project_of_a_service_account_is_named_after_the_template() -> None:
    def named(perform: Any, call: Any) -> Any:
        value = perform(call)
        if not is_real(call) and call.path["templateId"] == "fragile":
            value["data"]["project"]["name"] = call.path["templateId"]
        return value

    wrap("templates_apply", named)


@sub_project("templates_apply", REPORT)
def parts_without_a_value_vanish_from_the_report() -> None:
    def vanished(value: Json) -> None:
        report = value["data"]["templateApply"]["report"]
        if len(report["missingVariables"]) > 1:
            report["skipped"] = []

    alter_value("templates_apply", vanished)


@sub_project("templates_apply", "A new sub-project is created under the parent project `{projectId}`")
def a_service_account_that_applies_a_template_owns_the_parent() -> None:
    def owned(perform: Any, call: Any) -> Any:
        value = perform(call)
        call.world.members[call.project, call.user] = "owner"
        return value

    wrap("templates_apply", owned)
