"""Requests that change what other operations answer, a calendar that is not named exactly, and lists that are null."""

from __future__ import annotations

from typing import Any

from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import alter_value, mutation, with_query, wrap


@mutation("scope.unaffected.*", also=("sidebar.hiding-keeps-authority", "permissions.check.exact"))
def a_hidden_section_denies_its_permission() -> None:
    def checked(rule: Handler, call: Call) -> Answer:
        return rule(call) if call.project.sidebar else Answer({"allowed": False})

    wrap("auth_check_permission", checked)


@mutation("scope.unaffected.workflows-create")
def a_new_workflow_is_listed_as_an_agent() -> None:
    created: list[Any] = []

    def create(rule: Handler, call: Call) -> Answer:
        created.append(call.body["name"])
        return rule(call)

    def listed(value: dict[str, Any]) -> None:
        for agent in value["agents"]:
            agent["allowedRoles"] = [*agent["allowedRoles"], *created]

    wrap("workflows_create", create)
    alter_value("agents_list", listed)


@mutation("calendar.busy.exact-calendar")
def calendars_are_named_with_blanks() -> None:
    def busy(rule: Handler, call: Call) -> Answer:
        named = call.query.get("calendarId")
        return rule(call if named is None else with_query(call, calendarId=named.strip()))

    wrap("calendar_busy", busy)


@mutation("templates.apply.new-lists", also=("templates.apply.own-agents", "*.posts-list"))
def the_posts_of_a_new_project_are_null() -> None:
    def listed(value: dict[str, Any]) -> None:
        value["data"]["posts"] = value["data"]["posts"] or None

    alter_value("posts_list", listed)
