"""Endpoints 1: what a permission check returns does not depend on the checks before it, beside it, or by other callers.

Only a run that may write sends these checks: one that only reads sends few requests.
"""

from __future__ import annotations

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Final

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run
from project_platform_contract.run.shared_reads import FRESH

from .support.covering import Row, covering
from .support.permission_parameter import permission_parameter
from .support.permission_values import PERMISSIONS
from .support.preconditions import require_conclusive, require_refused
from .support.reading import discloses_nothing, refused

_IDENTITIES: Final = ("owner", "viewer", "service_account")
_CHECKS: Final = covering(
    {
        "identity": _IDENTITIES,
        "resource": tuple(dict.fromkeys(value.partition(":")[0] for value in PERMISSIONS)),
        "action": ("read", "write", "manage"),
    }
)
_WITHOUT_ACCESS: Final = (None, "expired", "wrong_key", "no_user", "unknown_user")
_OTHERS: Final = (
    *("settings:read ", " settings:read", "settings:READ", "settings:read:read", "settings:", ":read", ":", "*", "*:*"),
    *("*:read", "settings:write,members:read", "settings:read members:read", "settings.read", "settings/read", "read"),
    *("settings:admin", "settings:create", "setting:read", "crm:read", "crm_objects_:read", "crm-objects:read", "null"),
    *("projects:read", "users:manage", "sub_project:write", "settings::read", "settings:read%", "settings:re"),
)


def _check(api: Api, name: str, value: str) -> httpx.Response:
    """Send a permission check, even if an identical one has been answered."""
    return api.request("GET", api.path("auth_check_permission"), params={name: value}, extensions={FRESH: True})


def _rows(run: Run) -> Sequence[Row]:
    return _CHECKS if run.allows("write") else ()


def _expected(row: Row, data: Data) -> bool:
    """Return whether an identity holds a permission: the owner holds all, the others those of the data file."""
    if row["identity"] == "owner":
        return True
    if row["identity"] not in data["permissions"]:
        raise MissingError(f"the data file does not state the permissions of {row['identity']!r}")
    return f"{row['resource']}:{row['action']}" in data["permissions"][row["identity"]]


@pytest.mark.rule("permissions.check.exact")
def test_each_check_is_answered_for_its_caller_and_value(sign_in: SignIn, contract_run: Run, data: Data) -> None:
    """Of one resource after the other, each by all callers in turns, and with tokens that are not accepted in between."""
    name = permission_parameter(sign_in("owner"))
    callers = {identity: sign_in(identity) for identity in _IDENTITIES}
    strangers = [sign_in(identity) for identity in _WITHOUT_ACCESS if identity is None or identity in data.tokens]
    for number, row in enumerate(sorted(_rows(contract_run), key=lambda row: str(row["resource"]))):
        value = f"{row['resource']}:{row['action']}"
        if number % 4 == 0:
            stranger = strangers[number // 4 % len(strangers)]
            require_refused(_check(stranger, name, value))
        response = _check(callers[row["identity"]], name, value)
        assert response.is_success, f"check {number}, {row}: {response.status_code}"
        assert response.json()["allowed"] is _expected(row, data), f"check {number}, {row}"


@pytest.mark.rule("permissions.check.exact")
def test_concurrent_checks_are_answered_for_their_callers(sign_in: SignIn, contract_run: Run, data: Data) -> None:
    name = permission_parameter(sign_in("owner"))
    callers = {identity: sign_in(identity) for identity in _IDENTITIES}

    def check(row: Row) -> httpx.Response:
        return _check(callers[row["identity"]], name, f"{row['resource']}:{row['action']}")

    rows = _rows(contract_run)
    with ThreadPoolExecutor(6) as senders:
        responses = list(senders.map(check, rows))
    require_conclusive([response.status_code for response in responses])

    answers = [response.is_success and response.json()["allowed"] for response in responses]
    expected = [_expected(row, data) for row in rows]
    assert [row for row, answer, right in zip(rows, answers, expected, strict=True) if answer is not right] == []


@pytest.mark.rule("permissions.check.other-values")
def test_a_value_that_resembles_a_permission_is_refused(sign_in: SignIn, contract_run: Run) -> None:
    """By every caller, whichever permissions it holds."""
    name = permission_parameter(sign_in("owner"))
    callers = [sign_in(identity) for identity in _IDENTITIES]
    values = _OTHERS if contract_run.allows("write") else ()

    responses = {value: _check(callers[number % len(callers)], name, value) for number, value in enumerate(values)}

    assert [value for value, response in responses.items() if not refused(response)] == []
    assert [value for value, response in responses.items() if not discloses_nothing(response)] == []
