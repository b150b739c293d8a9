"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import TYPE_CHECKING

from ...calls.resource import AsyncResource, Resource
from ..models.web_analytics import WebAnalyticsConfig
from ..operations import web_analytics_get_config

if TYPE_CHECKING:
    from ...calls.configuration import Options


class WebAnalyticsResource(Resource):
    """The `web_analytics` of a project."""

    def get_config(
        self,
        *,
        options: "Options | None" = None,
    ) -> WebAnalyticsConfig | None:
        """Read the web-analytics configuration of a project.

        The configuration is null while web analytics is not configured.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            config = project.web_analytics.get_config()
            print(config.analytics_property_id if config else "not configured")
            ```

        Args:
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 13.
        """
        return self._send(
            web_analytics_get_config.call(
                self._project_id,
            ),
            options,
        )


class AsyncWebAnalyticsResource(AsyncResource):
    """The `web_analytics` of a project, as coroutines."""

    async def get_config(
        self,
        *,
        options: "Options | None" = None,
    ) -> WebAnalyticsConfig | None:
        """Read the web-analytics configuration of a project.

        Same as `WebAnalyticsResource.get_config`, but awaited.
        """
        return await self._send(
            web_analytics_get_config.call(
                self._project_id,
            ),
            options,
        )
