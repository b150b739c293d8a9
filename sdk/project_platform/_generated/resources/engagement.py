"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING
from uuid import UUID

from ...calls.resource import AsyncResource, Resource
from ..operations import engagement_like

if TYPE_CHECKING:
    from ...calls.configuration import Options


class EngagementResource(Resource):
    """The `engagement` of a project."""

    def like(
        self,
        post_id: str | UUID,
        *,
        account_id: str | UUID,
        options: "Options | None" = None,
    ) -> bool:
        """Like a published page post as the page.

        The like is given in the name of the connected page account, not of the caller.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            liked = project.engagement.like(post_id, account_id=page_id)
            print(liked)
            ```

        Args:
            post_id: Identifier of the published page post.
            account_id: Identifier of the connected page account.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            ServerError: 502: The provider behind the service failed.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 11.
        """
        return self._send(
            engagement_like.call(
                self._project_id,
                post_id,
                account_id=account_id,
            ),
            options,
        )


class AsyncEngagementResource(AsyncResource):
    """The `engagement` of a project, as coroutines."""

    async def like(
        self,
        post_id: str | UUID,
        *,
        account_id: str | UUID,
        options: "Options | None" = None,
    ) -> bool:
        """Like a published page post as the page.

        Same as `EngagementResource.like`, but awaited.
        """
        return await self._send(
            engagement_like.call(
                self._project_id,
                post_id,
                account_id=account_id,
            ),
            options,
        )
