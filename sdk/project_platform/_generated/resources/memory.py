"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.memory_entry import MemoryEntry
from ..operations import memory_update

if TYPE_CHECKING:
    from ...calls.configuration import Options


class MemoryResource(Resource):
    """The `memory` of a project."""

    def update(
        self,
        slug: str,
        *,
        title: str | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        content: str | None | Unset = UNSET,
        metadata: Mapping[str, Any] | None | Unset = UNSET,
        options: "Options | None" = None,
    ) -> MemoryEntry:
        """Update a memory entry, addressed by its slug.

        Only the fields that are given are updated.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            slug: Slug of the memory entry; it may contain `/`, which travels percent-encoded in one path segment.
            title: Title.
            description: Description.
            content: Content.
            metadata: Free-form JSON; it replaces what was there.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                needs.
            NotFoundError: 404: There is no such thing in the project.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 10.
        """
        return self._send(
            memory_update.call(
                self._project_id,
                slug,
                title=title,
                description=description,
                content=content,
                metadata=metadata,
            ),
            options,
        )


class AsyncMemoryResource(AsyncResource):
    """The `memory` of a project, to be awaited."""

    async def update(
        self,
        slug: str,
        *,
        title: str | None | Unset = UNSET,
        description: str | None | Unset = UNSET,
        content: str | None | Unset = UNSET,
        metadata: Mapping[str, Any] | None | Unset = UNSET,
        options: "Options | None" = None,
    ) -> MemoryEntry:
        """Update a memory entry, addressed by its slug.

        Only the fields that are given are updated.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            slug: Slug of the memory entry; it may contain `/`, which travels percent-encoded in one path segment.
            title: Title.
            description: Description.
            content: Content.
            metadata: Free-form JSON; it replaces what was there.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                needs.
            NotFoundError: 404: There is no such thing in the project.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 10.
        """
        return await self._send(
            memory_update.call(
                self._project_id,
                slug,
                title=title,
                description=description,
                content=content,
                metadata=metadata,
            ),
            options,
        )
