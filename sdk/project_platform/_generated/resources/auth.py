"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING

from ...calls.resource import AsyncResource, Resource
from ..models.enumerations import Permission
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
        """Check whether the caller holds a project permission.

        A debug endpoint: it resolves the identity of the token and returns whether that identity holds the given
        project-scoped permission.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            allowed = client.auth.check_permission("crm_objects:write")
            print(allowed)
            ```

        Args:
            permission: The permission to check, as `<resource>:<action>`.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 1.
        """
        return self._send(
            auth_check_permission.call(
                permission,
            ),
            options,
        )


class AsyncAuthResource(AsyncResource):
    """The `auth` of the service, as coroutines."""

    async def check_permission(
        self,
        permission: Permission,
        *,
        options: "Options | None" = None,
    ) -> bool:
        """Check whether the caller holds a project permission.

        Same as `AuthResource.check_permission`, but awaited.
        """
        return await self._send(
            auth_check_permission.call(
                permission,
            ),
            options,
        )
