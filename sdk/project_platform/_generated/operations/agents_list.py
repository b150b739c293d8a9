"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import integer, query
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.agents import AgentsPage

OPERATION: Final[Operation[AgentsPage]] = Operation(
    id="agents_list",
    method="GET",
    path="/projects/{project_id}/agents",
    retry="safe",
    effect="read",
    section="Endpoints 12",
    read=json_reader(AgentsPage),
)


def call(
    project_id: str | UUID,
    *,
    limit: int | Unset = UNSET,
    offset: int | Unset = UNSET,
) -> Call[AgentsPage]:
    """List the agent definitions of a project.

    The arguments are `project_id` and those of `project.agents.list`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 12.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/agents"
        + query(
            limit=integer("limit", limit, minimum=1, maximum=100),
            offset=integer("offset", offset, minimum=0),
        ),
    )
