"""Permissions that do not decide."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from ..mutant import Kind, alter_query, patch, wrap
from ..service import app, permissions
from ..service.app import OPERATIONS, Call, Refusal
from .shared_state import pause, release_between

held = Kind("permissions")


scope = Kind("resources of another project")


HOLDS = "It resolves the caller identity and returns whether it holds the given project-scoped permission."


SUB_PROJECTS = "The permission `sub_projects:write` on the parent project is required."


ALL_THREE = "Every resource below has all three."


def check(name: str, allowed: Callable[[Call, str, bool], bool], sentence: str = HOLDS) -> None:
    """Register a mutant with other results, given the call, the permission and the right result."""

    def altered(perform: Any, call: Call) -> Any:
        value = perform(call)
        return {"allowed": allowed(call, call.query["scope"], value["allowed"])}

    held.add(name, "auth_check_permission", sentence, lambda: wrap("auth_check_permission", altered))


def role_of(call: Call) -> str | None:
    """Return the role of the caller."""
    return permissions.home_role(call)


check("an owner does not hold billing:manage", lambda call, value, right: right and value != "billing:manage")


check("an owner does not hold audit_log:write", lambda call, value, right: right and value != "audit_log:write")


check("an owner holds no manage permission", lambda call, value, right: right and not value.endswith(":manage"))


check(
    "an owner does not hold the last resource",
    lambda call, value, right: right and not value.startswith("project_templates:"),
)


check(
    "a reader holds one write permission",
    lambda call, value, right: right or (role_of(call) == "reader" and value == "contracts:write"),
)


check(
    "a reader holds sub_projects:write",
    lambda call, value, right: right or (role_of(call) == "reader" and value == "sub_projects:write"),
)


check("a service account holds nothing", lambda call, value, right: right and role_of(call) != "robot")


check(
    "a service account does not hold sub_projects:write",
    lambda call, value, right: right and not (role_of(call) == "robot" and value == "sub_projects:write"),
)


check(
    "who may write may manage",
    lambda call, value, right: right or (role_of(call) == "robot" and value.endswith(":manage")),
)


check(
    "a permission is the resource alone",
    lambda call, value, right: app.allows(role_of(call) or "reader", f"{value.partition(':')[0]}:read"),
)


@held("auth_check_permission", HOLDS)
def the_result_is_that_of_the_last_caller() -> None:
    results: dict[str, Any] = {}

    def cached(perform: Any, call: Call) -> Any:
        return results.setdefault(call.query.get("scope", ""), perform(call))

    wrap("auth_check_permission", cached)


@held("auth_check_permission", ALL_THREE)
def a_resource_has_no_manage() -> None:
    def refused(perform: Any, call: Call) -> Any:
        if call.query.get("scope") == "audit_log:manage":
            raise Refusal(400, "audit_log cannot be managed.")
        return perform(call)

    wrap("auth_check_permission", refused)


@held("templates_apply", SUB_PROJECTS)
def applying_a_template_needs_project_templates_read() -> None:
    OPERATIONS["templates_apply"].needs = "project_templates:read"


@held("templates_apply", SUB_PROJECTS)
def applying_a_template_needs_membership_only() -> None:
    OPERATIONS["templates_apply"].needs = None


@held("templates_apply", SUB_PROJECTS)
def the_permission_counts_on_the_project_of_the_caller() -> None:
    enter = app.enter

    def entered(call: Call) -> None:
        if call.operation == "templates_apply":
            role = permissions.home_role(call)
            if role is None or not app.allows(role, "sub_projects:write"):
                raise Refusal(403, "You need sub_projects:write.")
            call.path["projectId"] = call.project.lower()
        else:
            enter(call)

    patch(app, "enter", entered)


@held("auth_check_permission", HOLDS)
def a_resource_that_an_owner_has_checked_is_held_by_the_next_caller() -> None:
    last: dict[str, str] = {}

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(call)
        resource, _, action = call.query["scope"].partition(":")
        if role_of(call) == "owner":
            last["resource"] = resource
        elif last.pop("resource", None) == resource and action == "write":
            return {"allowed": True}
        return value

    wrap("auth_check_permission", remembered)


@held("auth_check_permission", HOLDS)
def a_check_after_many_others_is_denied() -> None:
    numbers: dict[str, int] = {}

    def limited(perform: Any, call: Call) -> Any:
        numbers[call.user] = numbers.get(call.user, 0) + 1
        value = perform(call)
        return {"allowed": False} if numbers[call.user] % 40 == 0 else value

    wrap("auth_check_permission", limited)


@held("auth_check_permission", HOLDS)
def checks_at_the_same_time_are_answered_for_the_last_caller() -> None:
    last: dict[str, str] = {}

    def shared(perform: Any, call: Call) -> Any:
        last["user"] = call.user
        pause()
        return perform(replace(call, user=last["user"]))

    release_between()
    wrap("auth_check_permission", shared)


@held("auth_check_permission", "The form is `<resource>:<action>`.")
def what_follows_a_permission_is_ignored() -> None:
    alter_query("auth_check_permission", lambda query: query.update(scope=":".join(query["scope"].split(":")[:2])))
