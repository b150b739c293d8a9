"""Endpoints 1: check permission, and the permission values."""

from __future__ import annotations

import pytest

from project_platform_contract.run.api import Api, Fact, SignIn

from .support.permission_parameter import permission_parameter, probe
from .support.reading import discloses_nothing, refused

_RESOURCES = (
    *("settings", "members", "roles", "audit_log", "crm_types", "crm_objects", "cms_types", "cms_items"),
    *("network_planner", "assets", "workflows", "integrations", "oauth_clients", "agents", "web_analytics", "social"),
    *("tenant_email", "network_ads", "search_ads", "business_profile", "contracts", "service_accounts"),
    *("support_tickets", "billing", "calendar", "sub_projects", "project_templates"),
)
_VALUES = tuple(f"{resource}:{action}" for resource in _RESOURCES for action in ("read", "write", "manage"))
_MORE_THAN_READ = tuple(value for value in _VALUES if not value.endswith(":read"))


@pytest.mark.rule("permissions.check.values")
def test_every_permission_can_be_checked(api: Api, fact: Fact) -> None:
    """27 resources with three actions each."""
    name, seen = probe(api)
    fact("permissionParameter", name, seen)
    assert len(_VALUES) == 81

    refusals = [value for value in _VALUES if not api("auth_check_permission", query={name: value}).is_success]

    assert refusals == []


@pytest.mark.rule("permissions.check.other-values")
@pytest.mark.parametrize(
    "value",
    [
        "settings:delete",
        "contract:read",
        "settings",
        "settings:",
        ":read",
        "settings:*",
        "Settings:read",
        "settings.read",
        "",
    ],
)
def test_a_value_that_is_not_a_permission_is_refused(api: Api, value: str) -> None:
    response = api("auth_check_permission", query={permission_parameter(api): value})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("permissions.check.boolean")
@pytest.mark.parametrize("identity", ["owner", "viewer", "service_account", "outsider"])
def test_the_result_is_a_boolean_for_every_caller(sign_in: SignIn, identity: str) -> None:
    api = sign_in(identity)
    name = permission_parameter(api)

    for value in ("crm_objects:read", "sub_projects:write", "billing:manage"):
        response = api("auth_check_permission", query={name: value})

        assert response.is_success
        assert isinstance(response.json()["allowed"], bool)


@pytest.mark.rule("permissions.check.holder")
@pytest.mark.parametrize("identity", ["owner", "viewer"])
def test_the_result_is_true_for_a_held_permission(sign_in: SignIn, identity: str) -> None:
    """The owner and the viewer hold at least one permission each."""
    assert _held(sign_in(identity), _VALUES)


@pytest.mark.rule("permissions.check.by-identity")
def test_a_viewer_holds_only_read_permissions(sign_in: SignIn) -> None:
    """The owner, in contrast, holds more."""
    assert _held(sign_in("viewer"), _MORE_THAN_READ) == []
    assert _held(sign_in("owner"), _MORE_THAN_READ)


def _held(api: Api, values: tuple[str, ...]) -> list[str]:
    """Return the permissions that the caller holds, of some values."""
    name = permission_parameter(api)
    answers = {value: api("auth_check_permission", query={name: value}) for value in values}
    return [value for value, answer in answers.items() if answer.is_success and answer.json().get("allowed") is True]
