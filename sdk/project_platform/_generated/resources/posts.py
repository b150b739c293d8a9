"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...calls.listing import Listing
from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.posts import ScheduledPost
from ..operations import posts_list

if TYPE_CHECKING:
    from ...calls.configuration import Options


class PostsResource(Resource):
    """The `posts` of a project."""

    def list(
        self,
        *,
        filters: Mapping[str, str] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Listing[ScheduledPost]:
        """List the scheduled posts of a project.

        All scheduled posts that match the filters.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            posts = project.posts.list(filters={"status": "failed"})
            print(posts[0].error_message)
            ```

        Args:
            filters: Filters by name, each sent as a query parameter of that name.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 14.
        """
        return self._send(
            posts_list.call(
                self._project_id,
                filters=filters,
            ),
            options,
        )


class AsyncPostsResource(AsyncResource):
    """The `posts` of a project, as coroutines."""

    async def list(
        self,
        *,
        filters: Mapping[str, str] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Listing[ScheduledPost]:
        """List the scheduled posts of a project.

        Same as `PostsResource.list`, but awaited.
        """
        return await self._send(
            posts_list.call(
                self._project_id,
                filters=filters,
            ),
            options,
        )
