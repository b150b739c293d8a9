"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import builtins
from collections.abc import Mapping
from typing import TYPE_CHECKING

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.scheduled_post import ScheduledPost
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
    ) -> builtins.list[ScheduledPost]:
        """List the scheduled posts of a project.

        All scheduled posts, narrowed by filters if any are given.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            filters: Filters by name, each sent as a query parameter of that name.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                needs.
            PlatformError: What else a call can end with; `applied` tells what became of it.

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
    """The `posts` of a project, to be awaited."""

    async def list(
        self,
        *,
        filters: Mapping[str, str] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> builtins.list[ScheduledPost]:
        """List the scheduled posts of a project.

        All scheduled posts, narrowed by filters if any are given.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            filters: Filters by name, each sent as a query parameter of that name.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                needs.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 14.
        """
        return await self._send(
            posts_list.call(
                self._project_id,
                filters=filters,
            ),
            options,
        )
