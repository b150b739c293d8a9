"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...calls.resource import AsyncResource, Resource
from ..models.sidebar import Sidebar, SidebarSection
from ..operations import sidebar_replace

if TYPE_CHECKING:
    from ...calls.configuration import Options


class SidebarResource(Resource):
    """The `sidebar` of a project."""

    def replace(
        self,
        *,
        sections: Sequence[SidebarSection | Mapping[str, Any]],
        options: "Options | None" = None,
    ) -> Sidebar:
        """Replace the sections of a project's dashboard sidebar.

        The whole list of sections is replaced. Hiding an entry does not remove permissions: callers who may read the
        resource behind it can still reach it by its URL.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            item = {"id": "crm", "label": "CRM", "href": "/crm"}
            sidebar = project.sidebar.replace(
                sections=[{"id": "main", "label": "Main", "items": [item]}],
            )
            print([section.label for section in sidebar.sections])
            ```

        Args:
            sections: All sections, in order.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 8.
        """
        return self._send(
            sidebar_replace.call(
                self._project_id,
                sections=sections,
            ),
            options,
        )


class AsyncSidebarResource(AsyncResource):
    """The `sidebar` of a project, as coroutines."""

    async def replace(
        self,
        *,
        sections: Sequence[SidebarSection | Mapping[str, Any]],
        options: "Options | None" = None,
    ) -> Sidebar:
        """Replace the sections of a project's dashboard sidebar.

        Same as `SidebarResource.replace`, but awaited.
        """
        return await self._send(
            sidebar_replace.call(
                self._project_id,
                sections=sections,
            ),
            options,
        )
