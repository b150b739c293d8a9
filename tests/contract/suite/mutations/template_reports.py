"""Broken reports of applied templates, and broken values of variables (Endpoints 9)."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from project_platform_stub.http.errors import forbidden
from project_platform_stub.operations import templates
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support import template_parts
from project_platform_stub.world.domain import Json

from .mutation import alter_operation, alter_value, mutation, patch, with_body, wrap

_STATED = "templates.apply.report-stated"
_REPORT = ("templates.apply.*", "fields.template-apply.types")


def _reported(change: Callable[[Json], Any]) -> None:
    """Change the report of a response, in place."""
    alter_value("templates_apply", lambda value: change(value["data"]["templateApply"]["report"]))


def _swapped(one: str, other: str) -> None:
    def swapped(report: Json) -> None:
        counts = report["counts"]
        counts[one], counts[other] = counts[other], counts[one]

    _reported(swapped)


@mutation(_STATED, also=_REPORT)
def object_types_are_counted_as_relations() -> None:
    _swapped("objectTypes", "objectRelations")


@mutation(_STATED, also=_REPORT)
def object_types_are_counted_as_roles() -> None:
    _swapped("objectTypes", "roles")


@mutation("templates.apply.report-agrees", also=_REPORT)
def a_skipped_part_is_counted() -> None:
    def counted(report: Json) -> None:
        report["counts"]["objectTypes"] += len(report["skipped"])
        report["appliedCount"] += len(report["skipped"])

    _reported(counted)


@mutation(_STATED, also=_REPORT)
def skipped_parts_are_not_reported() -> None:
    _reported(lambda report: report["skipped"].clear())


@mutation(_STATED, also=_REPORT)
def one_failure_is_reported() -> None:
    def one(report: Json) -> None:
        del report["failures"][1:]

    _reported(one)


def _failures(change: Callable[[Json], Json]) -> None:
    def changed(report: Json) -> None:
        report["failures"] = [change(part) for part in report["failures"]]

    _reported(changed)


@mutation(_STATED, also=_REPORT)
def the_error_and_the_code_of_a_failure_are_swapped() -> None:
    _failures(lambda part: {**part, "error": part["code"], "code": part["error"]})


@mutation(_STATED, also=_REPORT)
def the_kind_and_the_name_of_a_failure_are_swapped() -> None:
    _failures(lambda part: {**part, "entity": part["name"], "name": part["entity"]})


@mutation(_STATED, also=_REPORT)
def skipped_parts_are_reported_as_failures() -> None:
    def failed(report: Json) -> None:
        report["failures"] += [{**part, "error": "It exists.", "code": "exists"} for part in report["skipped"]]
        report["skipped"] = []

    _reported(failed)


@mutation("templates.apply.report-agrees", also=_REPORT)
def what_failed_lands_as_well() -> None:
    def landed(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        project = call.world.projects[answer.value["data"]["project"]["id"]]
        project.sidebar = [*project.sidebar, {"id": "more", "label": "More"}]
        return answer

    wrap("templates_apply", landed)


@mutation(_STATED, also=_REPORT)
def parts_after_a_failure_are_not_reported() -> None:
    apply_parts = templates.apply_parts

    def stopped(*arguments: Any) -> Any:
        report = apply_parts(*arguments)
        del report.failures[1:]
        return report

    patch(templates, "apply_parts", stopped)


@mutation("templates.apply.falsy-values", also=_REPORT)
def falsy_values_are_missing() -> None:
    _values(lambda value: value or None)


@mutation("templates.apply.falsy-values", also=_REPORT)
def an_empty_value_is_missing() -> None:
    _values(lambda value: None if value == "" else value)


@mutation("templates.apply.falsy-values", also=_REPORT)
def false_is_missing() -> None:
    _values(lambda value: None if value is False else value)


def _values(change: Callable[[Any], Any]) -> None:
    def changed(rule: Handler, call: Call) -> Answer:
        values = call.body.get("variableValues", {})
        return rule(with_body(call, variableValues={name: change(value) for name, value in values.items()}))

    wrap("templates_apply", changed)


@mutation("templates.apply.variables", also=_REPORT)
def values_are_read_as_templates() -> None:
    substituted = template_parts._substituted
    patch(template_parts, "_substituted", lambda value, texts: substituted(substituted(value, texts), texts))


@mutation("templates.apply.variables", also=_REPORT)
def values_are_escaped() -> None:
    text = template_parts._text
    patch(template_parts, "_text", lambda value: text(value).replace("&", "&amp;").replace("<", "&lt;"))


@mutation("templates.apply.variables", also=_REPORT)
def only_the_first_variable_of_a_text_is_replaced() -> None:
    substituted = template_parts._substituted

    def once(value: Any, texts: Any) -> Any:
        if isinstance(value, list):
            return value
        if isinstance(value, dict):
            return {key: once(member, texts) for key, member in value.items()}
        return substituted(value, texts)

    patch(template_parts, "_substituted", once)


@mutation("templates.apply.creates-sub-project", also=_REPORT)
def the_name_of_a_sub_project_is_trimmed() -> None:
    wrap("templates_apply", lambda rule, call: rule(with_body(call, name=" ".join(call.body["name"].split()))))


@mutation("templates.apply.permission-alone", also=_REPORT)
def the_permission_to_write_templates_is_enough() -> None:
    alter_operation("templates_apply", permission="project_templates:write")


@mutation("templates.apply.permission-alone", also=_REPORT)
def only_an_owner_may_apply_a_template() -> None:
    alter_operation("templates_apply", permission="sub_projects:manage")


@mutation("templates.apply.permission-alone", also=("templates.*", "fields.*", "scope.*"))
def the_permission_in_any_project_is_enough() -> None:
    alter_operation("templates_apply", permission=None)

    def permitted(rule: Handler, call: Call) -> Answer:
        held = [
            project.roles.get(project.members.get(call.caller.id, ""), frozenset[str]())
            for project in call.world.projects.values()
        ]
        if not any("sub_projects:write" in permissions for permissions in held):
            raise forbidden("The permission sub_projects:write is missing.")
        return rule(call)

    wrap("templates_apply", permitted)


@mutation("scope.own-things.templates-apply", also=("scope.*",))
def templates_of_every_project_can_be_applied() -> None:
    def found(rule: Handler, call: Call) -> Answer:
        id = call.path["templateId"]
        owner = next((project for project in call.world.projects.values() if id in project.templates), None)
        if owner is not None and id not in call.project.templates:
            call.project.templates[id] = replace(owner.templates[id])
        return rule(call)

    wrap("templates_apply", found)


@mutation("templates.apply.under-parent", also=_REPORT)
def parts_land_in_the_parent_as_well() -> None:
    def landed(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        project = call.world.projects[answer.value["data"]["project"]["id"]]
        call.project.workflows.update(dict(project.workflows.items()))
        return answer

    wrap("templates_apply", landed)


def _landed(entity: str, change: Callable[[Json], Json]) -> None:
    """Change the parts of a kind before they land."""
    land = template_parts._APPLIERS[entity]
    template_parts._APPLIERS[entity] = lambda body, project, call: land(change(body), project, call)


@mutation("templates.apply.parts", also=_REPORT)
def a_relation_lands_the_other_way_round() -> None:
    _landed("objectRelation", lambda body: {**body, "from": body["to"], "to": body["from"]})


@mutation("templates.apply.parts", also=_REPORT)
def a_section_lands_without_items() -> None:
    _landed("sidebarSection", lambda body: {**body, "items": []})


@mutation("templates.apply.parts", also=_REPORT)
def a_role_lands_with_permissions_to_read_only() -> None:
    _landed("role", lambda body: {**body, "permissions": [name for name in body["permissions"] if "read" in name]})


@mutation("templates.apply.parts", also=_REPORT)
def a_type_lands_with_its_defaults() -> None:
    _landed("objectType", lambda body: {"slug": body["slug"], "name": body["name"]})


@mutation("templates.apply.parts", also=_REPORT)
def a_workflow_lands_without_tags() -> None:
    _landed("workflow", lambda body: {**body, "tags": []})


@mutation("templates.apply.under-parent", also=_REPORT)
def a_sub_project_is_as_old_as_its_parent() -> None:
    def old(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        answer.value["data"]["project"]["createdAt"] = call.project.created_at
        return answer

    wrap("templates_apply", old)
