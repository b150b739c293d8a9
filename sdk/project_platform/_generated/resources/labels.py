"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Sequence
from typing import TYPE_CHECKING
from uuid import UUID

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ...labels.sheet import LabelSheet
from ..models.enumerations import LabelStock
from ..operations import labels_export

if TYPE_CHECKING:
    from ...calls.configuration import Options


class LabelsResource(Resource):
    """The `labels` of a project."""

    def export(
        self,
        *,
        menu_month: str | Unset = UNSET,
        item_ids: Sequence[str | UUID] | Unset = UNSET,
        include_unapproved: bool | Unset = UNSET,
        stock: LabelStock | Unset = UNSET,
        options: "Options | None" = None,
    ) -> LabelSheet:
        """Export meal labels as a PDF.

        Landscape Letter pages with four labels per sheet, each 5 inches wide and 3.5 inches tall. The header
        `X-Label-Summary` contains URI-encoded JSON, and the full review is attached inside the PDF as
        `label-review.json`.

        Sent again after a lost response: applying it twice has the same effect as applying it once.

        Example:
            ```python
            labels = project.labels.export(menu_month="2026-11")
            print(labels.summary.label_count)
            ```

        Args:
            menu_month: The month of the menu, such as 2026-11.
            item_ids: The menu items to print labels for.
            include_unapproved: Whether to include labels that are not approved.
            stock: The label stock, width by height in inches.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 16.
        """
        return self._send(
            labels_export.call(
                self._project_id,
                menu_month=menu_month,
                item_ids=item_ids,
                include_unapproved=include_unapproved,
                stock=stock,
            ),
            options,
        )


class AsyncLabelsResource(AsyncResource):
    """The `labels` of a project, as coroutines."""

    async def export(
        self,
        *,
        menu_month: str | Unset = UNSET,
        item_ids: Sequence[str | UUID] | Unset = UNSET,
        include_unapproved: bool | Unset = UNSET,
        stock: LabelStock | Unset = UNSET,
        options: "Options | None" = None,
    ) -> LabelSheet:
        """Export meal labels as a PDF.

        Same as `LabelsResource.export`, but awaited.
        """
        return await self._send(
            labels_export.call(
                self._project_id,
                menu_month=menu_month,
                item_ids=item_ids,
                include_unapproved=include_unapproved,
                stock=stock,
            ),
            options,
        )
