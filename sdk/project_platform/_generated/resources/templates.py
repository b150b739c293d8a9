"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.templates import TemplateApplyResult
from ..operations import templates_apply

if TYPE_CHECKING:
    from ...calls.configuration import Options


class TemplatesResource(Resource):
    """The `templates` of a project."""

    def apply(
        self,
        template_id: str | UUID,
        *,
        name: str,
        variable_values: Mapping[str, Any] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> TemplateApplyResult:
        """Create a sub-project and apply a template to it.

        A new sub-project is created under the project, and the template is applied to it. `variable_values` gives a
        value for each `{{variable}}` that the template declares. The report lists what was applied and what failed.
        The caller needs the permission `sub_projects:write` on the parent project.

        Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

        Example:
            ```python
            result = project.templates.apply(
                template_id,
                name="Acme",
                variable_values={"client": "Acme"},
            )
            print(result.template_apply.status)
            ```

        Args:
            template_id: Identifier of the project template.
            name: Name of the new sub-project.
            variable_values: Value of each `{{variable}}` that the template declares.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            ConflictError: 409: The request conflicts with the state of the service.
            UnprocessableEntityError: 422: The request is well formed but cannot be carried out.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 9.
        """
        return self._send(
            templates_apply.call(
                self._project_id,
                template_id,
                name=name,
                variable_values=variable_values,
            ),
            options,
        )


class AsyncTemplatesResource(AsyncResource):
    """The `templates` of a project, as coroutines."""

    async def apply(
        self,
        template_id: str | UUID,
        *,
        name: str,
        variable_values: Mapping[str, Any] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> TemplateApplyResult:
        """Create a sub-project and apply a template to it.

        Same as `TemplatesResource.apply`, but awaited.
        """
        return await self._send(
            templates_apply.call(
                self._project_id,
                template_id,
                name=name,
                variable_values=variable_values,
            ),
            options,
        )
