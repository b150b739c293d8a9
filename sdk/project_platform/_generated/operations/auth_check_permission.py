"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Final, get_args

from ...calls.decoding import json_reader
from ...calls.encoding import one_of, query
from ...calls.operation import Call, Operation
from ..models.auth import PermissionCheck
from ..models.enumerations import Permission

OPERATION: Final[Operation[bool]] = Operation(
    id="auth_check_permission",
    method="GET",
    path="/auth/check-permission",
    retry="safe",
    effect="read",
    section="Endpoints 1",
    read=json_reader(PermissionCheck, "allowed"),
)


def call(
    permission: Permission,
) -> Call[bool]:
    """Check whether the caller holds a project permission.

    The arguments are those of `client.auth.check_permission`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 1.
    """
    return Call(
        OPERATION,
        "/auth/check-permission"
        + query(
            permission=one_of("permission", permission, get_args(Permission)),
        ),
    )
