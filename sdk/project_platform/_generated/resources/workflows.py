"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.workflows import Workflow
from ..operations import workflows_create

if TYPE_CHECKING:
    from ...calls.configuration import Options


class WorkflowsResource(Resource):
    """The `workflows` of a project."""

    def create(
        self,
        *,
        name: str,
        trigger_type_slug: str,
        trigger_event_type: str,
        actions: Sequence[Any] | Unset = UNSET,
        description: str | Unset = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        trigger_condition: Any | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Workflow:
        """Create a workflow.

        The caller must be a real user: a service account is refused, because the executor needs one unambiguous
        principal when it dispatches. New integrations should use the workflow-drafts resource and activate a workflow
        only after its readiness was reviewed; `is_active` remains for backward compatibility.

        Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

        Example:
            ```python
            workflow = project.workflows.create(
                name="Welcome",
                trigger_type_slug="record",
                trigger_event_type="created",
                actions=[],
            )
            print(workflow.name, workflow.revision)
            ```

        Args:
            name: Name, 1 to 200 characters.
            trigger_type_slug: Slug of the trigger's type, 1 to 120 characters.
            trigger_event_type: Type of the triggering event, 1 to 120 characters; the possible types are not shown.
            actions: What the workflow does; the shape of an element is not shown.
            description: Description, at most 1000 characters.
            tags: At most 12 tags, each 1 to 40 characters.
            trigger_condition: Condition on the trigger; any JSON, its shape is not shown.
            is_active: Exists for backward compatibility; activate a workflow through workflow drafts.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 2.
        """
        return self._send(
            workflows_create.call(
                self._project_id,
                name=name,
                trigger_type_slug=trigger_type_slug,
                trigger_event_type=trigger_event_type,
                actions=actions,
                description=description,
                tags=tags,
                trigger_condition=trigger_condition,
                is_active=is_active,
            ),
            options,
        )


class AsyncWorkflowsResource(AsyncResource):
    """The `workflows` of a project, as coroutines."""

    async def create(
        self,
        *,
        name: str,
        trigger_type_slug: str,
        trigger_event_type: str,
        actions: Sequence[Any] | Unset = UNSET,
        description: str | Unset = UNSET,
        tags: Sequence[str] | Unset = UNSET,
        trigger_condition: Any | Unset = UNSET,
        is_active: bool | Unset = UNSET,
        options: "Options | None" = None,
    ) -> Workflow:
        """Create a workflow.

        Same as `WorkflowsResource.create`, but awaited.
        """
        return await self._send(
            workflows_create.call(
                self._project_id,
                name=name,
                trigger_type_slug=trigger_type_slug,
                trigger_event_type=trigger_event_type,
                actions=actions,
                description=description,
                tags=tags,
                trigger_condition=trigger_condition,
                is_active=is_active,
            ),
            options,
        )
