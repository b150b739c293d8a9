"""Endpoints 1: which permissions an identity holds, and which not."""

from __future__ import annotations

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.permission_parameter import permission_parameter
from .support.permission_values import PERMISSIONS, SAMPLED
from .support.reading import refused

_SAMPLE = tuple(value for value in PERMISSIONS if value.partition(":")[0] in SAMPLED)


@pytest.mark.rule("permissions.check.owner")
def test_the_owner_holds_every_permission(api: Api) -> None:
    held = _held(api, PERMISSIONS)

    assert [value for value in PERMISSIONS if value not in held] == []


@pytest.mark.rule("permissions.check.exact")
@pytest.mark.parametrize("identity", ["viewer", "service_account"])
def test_an_identity_holds_the_permissions_of_the_data_file(
    sign_in: SignIn, contract_run: Run, data: Data, identity: str
) -> None:
    """And no others: neither does write imply manage, nor one resource another one. A run that only reads tries a few."""
    values = PERMISSIONS if contract_run.allows("write") else _SAMPLE
    if identity not in data["permissions"]:
        raise MissingError(f"the data file does not state the permissions of {identity!r}")
    stated = [value for value in values if value in data["permissions"][identity]]

    assert _held(sign_in(identity), values) == stated


@pytest.mark.rule("permissions.check.other-values")
def test_a_check_without_a_permission_is_refused(api: Api) -> None:
    permission_parameter(api)

    assert refused(api("auth_check_permission"))


def _held(api: Api, values: tuple[str, ...]) -> list[str]:
    """Return the permissions that the caller holds, of some values."""
    name = permission_parameter(api)
    answers = {value: api("auth_check_permission", query={name: value}) for value in values}
    return [value for value, answer in answers.items() if answer.is_success and answer.json().get("allowed") is True]
