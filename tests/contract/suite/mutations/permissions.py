"""Broken permission checks (Endpoints 1)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from project_platform_stub.contract import Operation
from project_platform_stub.dispatch.validation import Validator
from project_platform_stub.operations.call import Answer, Call, Handler

from .mutation import mutation, patch, wrap

ALSO = ("permissions.check.*",)


def alter_check(change: Callable[[str, str, Callable[[str], bool]], bool]) -> None:
    """Change the result of permission checks; the change gets resource, action, and whether the caller holds a permission."""

    def altered(rule: Handler, call: Call) -> Answer:
        held = call.world.permissions(call.caller, call.project)
        resource, _, action = call.query[call.profile.permission_parameter].partition(":")
        return Answer({"allowed": change(resource, action, held.__contains__)})

    wrap("auth_check_permission", altered)


@mutation("permissions.check.exact", also=ALSO)
def write_is_manage() -> None:
    alter_check(lambda resource, action, held: held(f"{resource}:{action.replace('manage', 'write')}"))


@mutation("permissions.check.exact", also=ALSO)
def read_is_write_for_one_resource() -> None:
    alter_check(
        lambda resource, action, held: (
            held(f"{resource}:{action}") or (resource == "crm_objects" and held("crm_objects:read"))
        )
    )


@mutation("permissions.check.exact", also=ALSO)
def only_who_may_manage_may_write() -> None:
    alter_check(lambda resource, action, held: held(f"{resource}:{action.replace('write', 'manage')}"))


@mutation("permissions.check.exact", also=ALSO)
def only_the_action_is_checked() -> None:
    alter_check(lambda resource, action, held: held(f"settings:{'manage' if resource == 'sub_projects' else action}"))


@mutation("permissions.check.other-values", also=ALSO)
def a_check_without_a_permission_is_a_check_of_none() -> None:
    validated = Validator.parameters

    def lenient(self: Validator, operation: Operation, place: str, texts: Mapping[str, str]) -> dict[str, Any]:
        if operation.id == "auth_check_permission" and place == "query" and not texts:
            return {"permission": "none:read"}
        return validated(self, operation, place, texts)

    patch(Validator, "parameters", lenient)


@mutation("permissions.check.owner", also=ALSO)
def nobody_may_manage_billing() -> None:
    alter_check(
        lambda resource, action, held: (resource, action) != ("billing", "manage") and held(f"{resource}:{action}")
    )


@mutation("permissions.check.owner", also=ALSO)
def one_resource_is_unknown_to_roles() -> None:
    alter_check(lambda resource, action, held: resource != "oauth_clients" and held(f"{resource}:{action}"))


@mutation("permissions.check.owner", also=ALSO)
def names_with_two_words_are_never_held() -> None:
    alter_check(lambda resource, action, held: "_" not in resource and held(f"{resource}:{action}"))
