"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Sequence
from typing import Final
from uuid import UUID

from ...calls.encoding import body
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ...labels.sheet import LabelSheet
from ..models.enumerations import LabelStock
from ..models.labels import ExportLabelsBody

OPERATION: Final[Operation[LabelSheet]] = Operation(
    id="labels_export",
    method="POST",
    path="/projects/{project_id}/menu-items/label-export",
    retry="safe",
    effect="read",
    section="Endpoints 16",
    read=LabelSheet.read,
    accept="application/pdf, application/json",
)


def call(
    project_id: str | UUID,
    *,
    menu_month: str | Unset = UNSET,
    item_ids: Sequence[str | UUID] | Unset = UNSET,
    include_unapproved: bool | Unset = UNSET,
    stock: LabelStock | Unset = UNSET,
) -> Call[LabelSheet]:
    """Export meal labels as a PDF.

    The arguments are `project_id` and those of `project.labels.export`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 16.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/menu-items/label-export",
        body(
            ExportLabelsBody,
            menu_month=menu_month,
            item_ids=item_ids,
            include_unapproved=include_unapproved,
            stock=stock,
        ),
    )
