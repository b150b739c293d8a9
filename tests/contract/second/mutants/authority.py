"""Callers, projects and accounts that are taken for others, or have other rights than specified."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..mutant import Kind, patch, wrap
from ..service import app, permissions
from ..service.app import OPERATIONS, Call, Refusal, json_reply
from ..service.checks import uuid
from ..service.workflows import is_real

authority = Kind("authority")

CHECKED = "It resolves the caller identity and returns whether it holds the given project-scoped permission."


@authority("auth_check_permission", "Response: `{allowed: boolean}`.")
def the_answer_to_a_check_has_all_actions_of_the_resource() -> None:
    def mapped(perform: Any, call: Call) -> Any:
        value = perform(call)
        role = permissions.home_role(call)
        resource = call.query["scope"].partition(":")[0]
        held = {action: role is not None and app.allows(role, f"{resource}:{action}") for action in permissions.ACTIONS}
        return {**value, "allowed": held}

    wrap("auth_check_permission", mapped)


@authority("auth_check_permission", CHECKED)
def only_the_highest_action_of_a_role_is_held() -> None:
    highest = {"owner": "manage", "robot": "write", "reader": "read"}
    patch(permissions, "allows", lambda role, permission: permission.endswith(f":{highest[role]}"))


@authority("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
def a_template_without_values_needs_no_permission() -> None:
    OPERATIONS["templates_apply"].needs = None

    def with_values(perform: Any, call: Call) -> Any:
        role = call.world.members[call.project, call.user]
        if call.body.get("variableValues") and not app.allows(role, "sub_projects:write"):
            raise Refusal(403, "You need sub_projects:write.", "permission_denied")
        return perform(call)

    wrap("templates_apply", with_values)


@authority("engagement_like", "Body: `{accountId: string (uuid)}`.")
def accounts_in_capital_letters_cannot_like() -> None:
    def as_sent(perform: Any, call: Call) -> Any:
        account = call.body.get("accountId")
        if uuid(account) and account != account.lower():
            raise Refusal(404, "There is no such page.")
        return perform(call)

    wrap("engagement_like", as_sent)


@authority("engagement_like", "Error body (JSON): `message` (string, always present)")
def a_refused_like_has_an_error_instead_of_a_message() -> None:
    def renamed(perform: Any, call: Call) -> Any:
        try:
            return perform(call)
        except Refusal as refusal:
            return json_reply(refusal.status, {"error": refusal.message, "status": refusal.status})

    wrap("engagement_like", renamed)


@authority("web_analytics_get_config", "`{projectId}` is a UUID.")
def a_project_in_capital_letters_has_no_configuration() -> None:
    enter = app.enter

    def as_sent(call: Call) -> None:
        project = call.path.get("projectId")
        enter(call)
        if call.operation == "web_analytics_get_config" and project is not None:
            call.path["projectId"] = project

    patch(app, "enter", as_sent)


@authority("records_update", "`data` is a partial merge; a key whose value is `null` is deleted.")
def updates_of_a_service_account_are_proposals() -> None:
    def proposed(perform: Any, call: Call) -> Any:
        key = call.project, call.path["recordId"]
        before = deepcopy(call.world.records.get(key))
        value = perform(call)
        if before is not None and not is_real(call):
            call.world.records[key] = before
        return value

    wrap("records_update", proposed)


@authority("memory_update", "Body: `title`, `description`, `content` (strings), `metadata` (object).")
def content_of_a_service_account_is_appended() -> None:
    def appended(perform: Any, call: Call) -> Any:
        entry = call.world.memory.get((call.project, call.path["slug"]))
        content = call.body.get("content")
        if entry is not None and isinstance(content, str) and not is_real(call):
            call.body = {**call.body, "content": f"{entry['content']}\n{content}"}
        return perform(call)

    wrap("memory_update", appended)
