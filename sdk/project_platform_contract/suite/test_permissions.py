"""Endpoints 1: check permission, and the permission values."""

from __future__ import annotations

import pytest

from project_platform_contract.run.api import Api, Fact, SignIn

from .support.permission_parameter import permission_parameter, probed
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
def test_every_permission_can_be_asked_about(api: Api, fact: Fact) -> None:
    """27 resources with three actions each make 81 values, and each of them is taken."""
    name, seen = probed(api)
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
def test_what_is_no_permission_is_refused(api: Api, value: str) -> None:
    """Another action, another resource, half a value, a pattern, and another way to write one."""
    response = api("auth_check_permission", query={permission_parameter(api): value})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("permissions.check.boolean")
@pytest.mark.parametrize("identity", ["owner", "viewer", "service_account", "outsider"])
def test_the_answer_is_a_boolean_for_everybody(sign_in: SignIn, identity: str) -> None:
    """Also for who holds nothing, or is no real user."""
    api = sign_in(identity)
    name = permission_parameter(api)

    for value in ("crm_objects:read", "sub_projects:write", "billing:manage"):
        response = api("auth_check_permission", query={name: value})

        assert response.is_success
        assert isinstance(response.json()["allowed"], bool)


@pytest.mark.rule("permissions.check.holder")
@pytest.mark.parametrize("identity", ["owner", "viewer"])
def test_who_holds_a_permission_is_told_so(sign_in: SignIn, identity: str) -> None:
    """The owner makes the calls of this suite and the viewer may read, so each of them holds something."""
    assert _held(sign_in(identity), _VALUES)


@pytest.mark.rule("permissions.check.by-identity")
def test_who_may_only_read_holds_nothing_more(sign_in: SignIn) -> None:
    """The viewer holds no permission to write or to manage; the owner, who writes, holds one."""
    assert _held(sign_in("viewer"), _MORE_THAN_READ) == []
    assert _held(sign_in("owner"), _MORE_THAN_READ)


def _held(api: Api, values: tuple[str, ...]) -> list[str]:
    """Return those of the permissions that the caller holds."""
    name = permission_parameter(api)
    answers = {value: api("auth_check_permission", query={name: value}) for value in values}
    return [value for value, answer in answers.items() if answer.is_success and answer.json().get("allowed") is True]
