"""The permissions, and the query parameter of a permission check, whose name the specification does not give."""

from __future__ import annotations

from typing import Final

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.operations import contract
from project_platform_contract.run.api import Api
from project_platform_contract.run.credentials import PERMISSION_PARAMETERS

PERMISSIONS: Final[tuple[str, ...]] = tuple(contract()["components"]["schemas"]["Permission"]["enum"])
"""The 81 permission values of the specification ("Permission values")."""
SAMPLED: Final = ("crm_objects", "sub_projects")
"""Resources whose permissions are checked for each identity; those of all resources are checked for the owner."""


def permission_parameter(api: Api) -> str:
    """Return the name in the data file or, without one, the first name with which a permission check succeeds.

    Raises:
        MissingError: No candidate is accepted.
    """
    return api.permission_parameter or probe(api)[0]


def probe(api: Api) -> tuple[str, httpx.Response]:
    """Return the name of the parameter, and the response that shows it.

    Raises:
        MissingError: No candidate is accepted.
    """
    response = None
    names = PERMISSION_PARAMETERS if api.permission_parameter is None else (api.permission_parameter,)
    for name in names:
        response = api("auth_check_permission", query={name: "settings:read"})
        if response.is_success:
            return name, response
    status = "no answer" if response is None else response.status_code
    raise MissingError(
        f"no name of the permission parameter was accepted, of {', '.join(names)}: {status}",
        "a data file with permission_parameter",
    )
