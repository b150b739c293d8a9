"""Endpoints 1: check permission, and the permission values."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, Fact, SignIn

from .support.permission_parameter import permission_parameter, probe
from .support.permission_values import PERMISSIONS, SAMPLED
from .support.reading import discloses_nothing, refused

_SAMPLE = tuple(f"{resource}:{action}" for resource in SAMPLED for action in ("read", "write", "manage"))
# The permissions that other rules check for each identity come first, so that a search ends with them.
_VALUES = (*_SAMPLE, *(value for value in PERMISSIONS if value not in _SAMPLE))
_MORE_THAN_READ = tuple(value for value in _SAMPLE if not value.endswith(":read"))


@pytest.mark.rule("permissions.check.values")
def test_every_permission_can_be_checked(api: Api, sign_in: SignIn, data: Data, fact: Fact) -> None:
    """27 resources with three actions each. The viewer checks those that another rule checks as the viewer, too."""
    name, seen = probe(api)
    fact("permissionParameter", name, seen)
    assert len(_VALUES) == 81
    viewer = sign_in("viewer") if "viewer" in data.tokens else api

    callers = {value: viewer if value in _MORE_THAN_READ else api for value in _VALUES}
    refusals = [
        value
        for value, caller in callers.items()
        if not caller("auth_check_permission", query={name: value}).is_success
    ]

    assert refusals == []


@pytest.mark.rule("permissions.check.other-values")
@pytest.mark.parametrize(
    "value",
    [
        "settings:delete",
        "contract:read",
        "settings",
        "settings:*",
        "Settings:read",
        "",
    ],
)
def test_a_value_that_is_not_a_permission_is_refused(api: Api, value: str) -> None:
    response = api("auth_check_permission", query={permission_parameter(api): value})

    assert refused(response)
    assert discloses_nothing(response)


@pytest.mark.rule("permissions.check.boolean")
@pytest.mark.parametrize(
    ("identity", "values"),
    [*((identity, _SAMPLE) for identity in ("owner", "viewer", "service_account")), ("outsider", _SAMPLE[-1:])],
    ids=["owner", "viewer", "service_account", "outsider"],
)
def test_the_result_is_a_boolean_for_every_caller(sign_in: SignIn, identity: str, values: tuple[str, ...]) -> None:
    """Of the permissions that another rule checks, too."""
    api = sign_in(identity)
    name = permission_parameter(sign_in("owner"))

    for value in values:
        response = api("auth_check_permission", query={name: value})

        assert response.is_success
        assert isinstance(response.json()["allowed"], bool)


@pytest.mark.rule("permissions.check.holder")
@pytest.mark.parametrize("identity", ["owner", "viewer"])
def test_the_result_is_true_for_a_held_permission(sign_in: SignIn, identity: str) -> None:
    """The owner and the viewer hold at least one permission each."""
    assert any(_held(sign_in, identity, _VALUES))


@pytest.mark.rule("permissions.check.by-identity")
def test_a_viewer_holds_only_read_permissions(sign_in: SignIn) -> None:
    """The owner, in contrast, holds more."""
    assert list(_held(sign_in, "viewer", _MORE_THAN_READ)) == []
    assert any(_held(sign_in, "owner", _MORE_THAN_READ))


def _held(sign_in: SignIn, identity: str, values: tuple[str, ...]) -> Iterator[str]:
    """Check some permissions one by one, and yield those that the caller holds."""
    api, owner = sign_in(identity), sign_in("owner")
    name = permission_parameter(owner)
    for value in values:
        response = api("auth_check_permission", query={name: value})
        if response.is_success and response.json().get("allowed") is True:
            yield value
