"""The name of the query parameter of a permission check, which the specification does not show."""

from __future__ import annotations

from typing import Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api

# The contract's own name first.
_NAMES: Final = ("permission", "permissionKey", "permission_key", "perm", "p", "key", "scope", "name", "value", "check")


def permission_parameter(api: Api) -> str:
    """Return the first name with which a permission is taken.

    Raises:
        MissingError: None of those that were tried is the parameter's.
    """
    return probed(api)[0]


def probed(api: Api) -> tuple[str, httpx.Response]:
    """Return the name, and the answer in which it was seen.

    Raises:
        MissingError: None of those that were tried is the parameter's.
    """
    response = None
    for name in _NAMES:
        response = api("auth_check_permission", query={name: "settings:read"})
        if response.is_success:
            return name, response
    status = "no answer" if response is None else response.status_code
    raise MissingError(f"the permission's parameter has none of the names {', '.join(_NAMES)}: {status}")
