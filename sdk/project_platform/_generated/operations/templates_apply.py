"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import Any, Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body, segment
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.templates import ApplyTemplateBody, TemplateApplyResult, TemplateResponse

OPERATION: Final[Operation[TemplateApplyResult]] = Operation(
    id="templates_apply",
    method="POST",
    path="/projects/{project_id}/templates/{template_id}/apply",
    retry="never",
    effect="irreversible",
    section="Endpoints 9",
    look="wait a minute, since the request may still be on its way; then search the platform for a sub-project with this name, and apply the template again only if there is none",
    read=json_reader(TemplateResponse, "data"),
)


def call(
    project_id: str | UUID,
    template_id: str | UUID,
    *,
    name: str,
    variable_values: Mapping[str, Any] | Unset = UNSET,
) -> Call[TemplateApplyResult]:
    """Create a sub-project and apply a template to it.

    The arguments are `project_id` and those of `project.templates.apply`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 9.
    """
    return Call(
        OPERATION,
        f"/projects/{checked_project_id(project_id)}/templates/{segment('template_id', template_id)}/apply",
        body(
            ApplyTemplateBody,
            name=name,
            variable_values=variable_values,
        ),
    )
