"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated
from uuid import UUID

from pydantic import Field

from ...calls.model import NotNull, RequestModel
from .enumerations import LabelStock


class ExportLabelsBody(RequestModel, frozen=True):
    """The labels to export."""

    menu_month: Annotated[str | None, NotNull] = None
    """The month of the menu, such as 2026-11."""
    item_ids: Annotated[list[UUID] | None, NotNull] = None
    """The menu items to print labels for."""
    include_unapproved: Annotated[bool | None, Field(strict=True), NotNull] = None
    """Whether to include labels that are not approved."""
    stock: Annotated[LabelStock | None, NotNull] = None
    """The label stock, width by height in inches."""
