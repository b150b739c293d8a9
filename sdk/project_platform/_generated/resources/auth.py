"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING

from ...calls.resource import AsyncResource, Resource
from ..models.permission import Permission
from ..operations import auth_check_permission

if TYPE_CHECKING:
    from ...calls.configuration import Options


class AuthResource(Resource):
    """The `auth` of the service."""

    def check_permission(
        self,
        permission: Permission,
        *,
        options: "Options | None" = None,
    ) -> bool:
        """Say whether the caller holds a project permission.

        A debug endpoint: it resolves the identity behind the token and answers whether that identity holds the given
        project-scoped permission.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            permission: The permission asked about, as `<resource>:<action>`.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 1.
        """
        return self._send(
            auth_check_permission.call(
                permission,
            ),
            options,
        )


class AsyncAuthResource(AsyncResource):
    """The `auth` of the service, to be awaited."""

    async def check_permission(
        self,
        permission: Permission,
        *,
        options: "Options | None" = None,
    ) -> bool:
        """Say whether the caller holds a project permission.

        A debug endpoint: it resolves the identity behind the token and answers whether that identity holds the given
        project-scoped permission.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            permission: The permission asked about, as `<resource>:<action>`.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 1.
        """
        return await self._send(
            auth_check_permission.call(
                permission,
            ),
            options,
        )
