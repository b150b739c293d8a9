"""Sub-projects and workflows that are created or answered in another way than requested."""

from __future__ import annotations

import json
from typing import Any

from ..mutant import Json, Kind, alter_body, alter_value, patch, wrap
from ..service import templates, workflows
from ..service.app import OPERATIONS, Call, Refusal
from ..service.checks import length
from ..service.workflows import is_real

memory = Kind("memory")
application = Kind("application")
bound = Kind("bound")

REPORT = "The report shows what landed and what failed."


def in_report(change: Any) -> None:
    """Change the report of an application."""
    alter_value("templates_apply", lambda value: change(value["data"]["templateApply"]["report"]))


@application("templates_apply", REPORT)
def the_applied_count_is_that_of_the_kinds() -> None:
    in_report(lambda report: report.update(appliedCount=sum(map(bool, report["counts"].values()))))


@application("templates_apply", REPORT)
def the_applied_count_lacks_the_hides() -> None:
    in_report(lambda report: report.update(appliedCount=report["appliedCount"] - report["counts"]["perRoleHides"]))


@application("templates_apply", "`variableValues` supplies values for each `{{variable}}` the template declares.")
def values_are_given_to_variables_in_their_order() -> None:
    def ordered(perform: Any, call: Call) -> Any:
        template = call.world.templates.get((call.project, call.path["templateId"]))
        values = call.body.get("variableValues")
        if template is not None and isinstance(values, dict):
            call.body = {**call.body, "variableValues": dict(zip(template["variables"], values.values(), strict=False))}
        return perform(call)

    wrap("templates_apply", ordered)


@application("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
def applying_a_template_needs_sub_projects_manage() -> None:
    OPERATIONS["templates_apply"].needs = "sub_projects:manage"


@application("templates_apply", "`project`: {id (uuid), name, slug, createdAt (date-time)}.")
def a_sub_project_is_answered_with_the_identifier_of_its_parent() -> None:
    def parent(perform: Any, call: Call) -> Any:
        value = perform(call)
        value["data"]["project"] = {**value["data"]["project"], "id": call.project}
        return value

    wrap("templates_apply", parent)


@application("templates_apply", "Body: `name` (string), `variableValues` (object).")
def the_name_of_a_sub_project_is_trimmed() -> None:
    def trimmed(body: Json) -> None:
        body["name"] = body["name"].strip()

    alter_body("templates_apply", trimmed)


@application("templates_apply", "`report.missingVariables`: array of string.")
def empty_lists_of_a_report_are_null() -> None:
    def null(report: Json) -> None:
        for name in ("skipped", "failures", "missingVariables"):
            report[name] = report[name] or None

    in_report(null)


@application("templates_apply", "`report.failures`: array of {entity, name, error, code}.")
def failures_are_keyed_by_name() -> None:
    in_report(
        lambda report: report.update(failures={failure["name"]: failure["error"] for failure in report["failures"]})
    )


@bound("workflows_create", "`isActive` (boolean)")
def a_workflow_that_is_to_be_inactive_is_active() -> None:
    def active(body: Json) -> None:
        if "isActive" in body:
            body["isActive"] = body["isActive"] or body["isActive"] is False

    alter_body("workflows_create", active)


def refused_if(name: str, test: Any) -> None:
    """Refuse workflows by the value of a member."""

    def refused(perform: Any, call: Call) -> Any:
        value = call.body.get(name)
        if isinstance(value, str | list) and test(value):
            raise Refusal(422, f"{name} is invalid.", "invalid")
        return perform(call)

    wrap("workflows_create", refused)


@bound("workflows_create", "Workflow `description` | at most 1000 characters")
def a_description_of_1000_characters_is_refused() -> None:
    refused_if("description", lambda value: length(value) >= 1000)


@bound("workflows_create", "Workflow `description` | at most 1000 characters")
def a_description_of_1024_characters_is_accepted() -> None:
    def accepted(perform: Any, call: Call) -> Any:
        text = call.body.get("description")
        if not isinstance(text, str) or not 1000 < length(text) <= 1024:
            return perform(call)
        call.body = {**call.body, "description": ""}
        value = perform(call)
        value["workflow"]["description"] = text
        return value

    wrap("workflows_create", accepted)


@bound("workflows_create", "Workflow `tags` | at most 12 items, each 1-40 characters")
def twelve_tags_are_refused() -> None:
    refused_if("tags", lambda value: len(value) >= 12)


@bound("workflows_create", "Workflow `name` | 1-200 characters")
def a_name_of_200_characters_is_refused() -> None:
    refused_if("name", lambda value: length(value) >= 200)


@bound("workflows_create", "Workflow `tags` | at most 12 items, each 1-40 characters")
def tags_are_cut_after_forty_characters() -> None:
    def cut(body: Json) -> None:
        body["tags"] = [tag[:40] for tag in body["tags"]]

    alter_body("workflows_create", cut)


@bound("workflows_create", "`triggerCondition` (any)")
def a_trigger_condition_is_answered_as_text() -> None:
    def text(value: Json) -> None:
        condition = value["workflow"].get("triggerCondition")
        if isinstance(condition, dict | list):
            value["workflow"]["triggerCondition"] = json.dumps(condition)

    alter_value("workflows_create", text)


@bound("workflows_create", "`name` | string | 1-200 chars")
def straight_quotes_of_names_are_typographic() -> None:
    def curled(body: Json) -> None:
        body["name"] = body["name"].replace("'", "\u2019").replace('"', "\u201d")

    alter_body("workflows_create", curled)


@bound("workflows_create", "A real user identity is required. Creation by a service account is rejected.")
def service_accounts_create_workflows_with_a_description() -> None:
    def real(call: Call) -> bool:
        return is_real(call) or bool(call.body.get("description"))

    patch(workflows, "is_real", real)


@bound("workflows_create", "A real user identity is required. Creation by a service account is rejected.")
def a_service_account_is_refused_with_success() -> None:
    def answered(perform: Any, call: Call) -> Any:
        if workflows.is_real(call):
            return perform(call)
        return {"workflow": None, "message": "A workflow needs a real user."}

    wrap("workflows_create", answered)


@application("templates_apply", "Error body (JSON): `code` (string, optional, for programmatic handling).")
def the_code_of_an_unknown_template_is_a_number() -> None:
    find_template = templates.find_template

    def numbered(call: Call) -> Json:
        try:
            return find_template(call)
        except Refusal as refusal:
            refusal.code = 1404  # type: ignore[assignment]  # the defect
            raise

    patch(templates, "find_template", numbered)
