"""Broken applications of templates (Endpoints 9)."""

from __future__ import annotations

from dataclasses import replace

from project_platform_stub.operations import templates
from project_platform_stub.operations.call import Answer, Call, Handler
from project_platform_stub.operations.support import template_parts
from project_platform_stub.operations.support.template_parts import Report, apply_parts
from project_platform_stub.operations.templates import new_project
from project_platform_stub.world.domain import Json, Template
from project_platform_stub.world.views import Contents, Project

from .mutation import alter_operation, alter_value, mutation, patch, without, wrap


@mutation("templates.apply.permission", also=("templates.apply.permission-alone",))
def a_template_is_applied_without_the_permission() -> None:
    alter_operation("templates_apply", permission="sub_projects:read")


@mutation("templates.apply.creates-sub-project", also=("templates.apply.*",))
def the_parent_is_answered_as_the_sub_project() -> None:
    def parent(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        assert isinstance(answer.value, dict)
        answer.value["data"]["project"]["id"] = call.project.id
        return answer

    wrap("templates_apply", parent)


@mutation("templates.apply.creates-sub-project", also=("templates.apply.*",))
def a_template_makes_the_same_sub_project_again() -> None:
    first: list[Answer] = []

    def again(rule: Handler, call: Call) -> Answer:
        first.append(rule(call))
        return first[0]

    wrap("templates_apply", again)


@mutation("templates.apply.creates-sub-project", also=("templates.apply.*",))
def the_sub_project_has_another_name() -> None:
    alter_value("templates_apply", lambda value: value["data"]["project"].update(name="Sub-project"))


@mutation("templates.apply.missing-variables", also=("templates.apply.report-stated",))
def no_variable_is_reported_as_missing() -> None:
    alter_value("templates_apply", lambda value: value["data"]["templateApply"]["report"].update(missingVariables=[]))


@mutation("templates.apply.variables", also=("templates.apply.*",))
def the_values_of_variables_are_ignored() -> None:
    wrap("templates_apply", lambda rule, call: rule(without(call, "variableValues")))


@mutation("templates.apply.report-failures", also=("templates.apply.report-agrees", "templates.apply.report-stated"))
def failures_of_a_template_are_not_reported() -> None:

    def swallowed(template: Template, values: Json, project: Project, call: Call) -> Report:
        report = apply_parts(template, values, project, call)
        report.failures.clear()
        return report

    patch(templates, "apply_parts", swallowed)


@mutation("templates.apply.report-agrees", also=("templates.apply.report-stated",))
def the_applied_count_is_wrong() -> None:
    def doubled(value: Json) -> None:
        value["data"]["templateApply"]["report"]["appliedCount"] += 1

    alter_value("templates_apply", doubled)


@mutation("templates.apply.report-landed", also=("templates.apply.*",))
def every_part_of_a_template_fails() -> None:
    def fails(body: Json, project: Project, call: Call) -> None:
        raise template_parts._PartError("It could not land.", "failed")

    template_parts._APPLIERS.update(dict.fromkeys(template_parts._APPLIERS, fails))


@mutation("templates.apply.applied")
def an_applied_template_has_another_status() -> None:
    alter_value("templates_apply", lambda value: value["data"]["templateApply"].update(status="done"))


@mutation("fields.template-apply.types")
def counts_of_a_report_are_strings() -> None:
    def texts(value: Json) -> None:
        counts = value["data"]["templateApply"]["report"]["counts"]
        counts.update({kind: str(count) for kind, count in counts.items()})

    alter_value("templates_apply", texts)


@mutation("templates.apply.unknown-template")
def an_unknown_template_is_applied_as_an_empty_one() -> None:
    def empty(rule: Handler, call: Call) -> Answer:
        if call.path["templateId"] in call.project.templates:
            return rule(call)
        call.project.templates["empty"] = Template("empty", "Empty", (), ())
        return rule(replace(call, path={**call.path, "templateId": "empty"}))

    wrap("templates_apply", empty)


@mutation("templates.apply.under-parent", also=("templates.apply.report-agrees",))
def a_sub_project_has_no_parent() -> None:
    def orphan(world: Contents, created_at: str, name: str, *, parent: str) -> Project:
        return new_project(world, created_at, name)

    patch(templates, "new_project", orphan)
