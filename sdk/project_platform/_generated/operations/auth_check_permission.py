"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Final, get_args

from ...calls.decoding import json_reader
from ...calls.encoding import one_of, query
from ...calls.operation import Call, Operation
from ..models.permission import Permission
from ..models.permission_check import PermissionCheck

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
    """Say whether the caller holds a project permission.

    A debug endpoint: it resolves the identity behind the token and answers whether that identity holds the given
    project-scoped permission.

    Sent again when an answer is lost: twice is as good as once.

    Args:
        permission: The permission asked about, as `<resource>:<action>`.

    Raises:
        UsageError: An argument does not fit; nothing was sent.

    Source: the specification, Endpoints 1.
    """
    return Call(
        OPERATION,
        "/auth/check-permission"
        + query(
            permission=one_of("permission", permission, get_args(Permission)),
        ),
    )
