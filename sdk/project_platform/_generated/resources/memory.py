"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.memory import MemoryEntry
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

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            entry = project.memory.update("brand/voice", title="Our voice")
            print(entry.slug, entry.title)
            ```

        Args:
            slug: Slug of the memory entry; it may contain `/`, which is sent percent-encoded in one path segment.
            title: Title.
            description: Description.
            content: Content.
            metadata: Free-form JSON; it replaces the previous value.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

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
    """The `memory` of a project, as coroutines."""

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

        Same as `MemoryResource.update`, but awaited.
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
