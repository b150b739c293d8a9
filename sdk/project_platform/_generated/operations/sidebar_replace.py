"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping, Sequence
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import Call, Operation
from ..models.sidebar import (
    ReplaceSidebarBody,
    Sidebar,
    SidebarResponse,
    SidebarSection,
)

OPERATION: Final[Operation[Sidebar]] = Operation(
    id="sidebar_replace",
    method="PUT",
    path="/projects/{project_id}/sidebar",
    retry="safe",
    effect="write",
    section="Endpoints 8",
    look="wait a minute, since the request may still be on its way; then look at the sidebar in the dashboard, and replace it again only if you want your sections in place of what it shows",
    read=json_reader(SidebarResponse, "data"),
)


def call(
    project_id: str | UUID,
    *,
    sections: Sequence[SidebarSection | Mapping[str, Any]],
) -> Call[Sidebar]:
    """Replace the sections of a project's dashboard sidebar.

    The arguments are `project_id` and those of `project.sidebar.replace`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 8.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/sidebar",
        body(
            ReplaceSidebarBody,
            sections=sections,
        ),
    )
