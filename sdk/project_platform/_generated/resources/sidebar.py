"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from ...calls.resource import AsyncResource, Resource
from ..models.sidebar import Sidebar
from ..models.sidebar_section import SidebarSection
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

        The whole list of sections is replaced. Hiding an entry never takes authority away: whoever may read the
        resource behind it can still reach it by its URL.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            sections: All sections, in order.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                needs.
            NotFoundError: 404: There is no such thing in the project.
            PlatformError: What else a call can end with; `applied` tells what became of it.

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
    """The `sidebar` of a project, to be awaited."""

    async def replace(
        self,
        *,
        sections: Sequence[SidebarSection | Mapping[str, Any]],
        options: "Options | None" = None,
    ) -> Sidebar:
        """Replace the sections of a project's dashboard sidebar.

        The whole list of sections is replaced. Hiding an entry never takes authority away: whoever may read the
        resource behind it can still reach it by its URL.

        Sent again when an answer is lost: twice is as good as once.

        Args:
            sections: All sections, in order.
            options: What to do differently for this call.

        Raises:
            UsageError: An argument does not fit; nothing was sent.
            BadRequestError: 400: The request does not fit; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                needs.
            NotFoundError: 404: There is no such thing in the project.
            PlatformError: What else a call can end with; `applied` tells what became of it.

        Source: the specification, Endpoints 8.
        """
        return await self._send(
            sidebar_replace.call(
                self._project_id,
                sections=sections,
            ),
            options,
        )
