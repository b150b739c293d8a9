"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING
from uuid import UUID

from ...calls.listing import Listing
from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.photo_analytics import MediaAnalytics
from ..operations import photo_analytics_list_media

if TYPE_CHECKING:
    from ...calls.configuration import Options


class PhotoAnalyticsResource(Resource):
    """The `photo_analytics` of a project."""

    def list_media(
        self,
        account_id: str | UUID,
        *,
        filters: Mapping[str, str] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Listing[MediaAnalytics]:
        """Read the media analytics of a photo-network account.

        Engagement, reach and interaction figures, post by post.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            media = project.photo_analytics.list_media(account_id)
            print(len(media), media[0].reach)
            ```

        Args:
            account_id: Identifier of the connected photo-network account.
            filters: Query parameters by name, each sent unchanged.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 15.
        """
        return self._send(
            photo_analytics_list_media.call(
                self._project_id,
                account_id,
                filters=filters,
            ),
            options,
        )


class AsyncPhotoAnalyticsResource(AsyncResource):
    """The `photo_analytics` of a project, as coroutines."""

    async def list_media(
        self,
        account_id: str | UUID,
        *,
        filters: Mapping[str, str] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Listing[MediaAnalytics]:
        """Read the media analytics of a photo-network account.

        Same as `PhotoAnalyticsResource.list_media`, but awaited.
        """
        return await self._send(
            photo_analytics_list_media.call(
                self._project_id,
                account_id,
                filters=filters,
            ),
            options,
        )
