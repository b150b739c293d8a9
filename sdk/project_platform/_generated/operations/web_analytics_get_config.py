"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import Call, Operation
from ..models.web_analytics import WebAnalyticsConfig, WebAnalyticsResponse

OPERATION: Final[Operation[WebAnalyticsConfig | None]] = Operation(
    id="web_analytics_get_config",
    method="GET",
    path="/web-analytics/config/{project_id}",
    retry="safe",
    effect="read",
    section="Endpoints 13",
    read=json_reader(WebAnalyticsResponse, "config"),
)


def call(
    project_id: str | UUID,
) -> Call[WebAnalyticsConfig | None]:
    """Read the web-analytics configuration of a project.

    The arguments are `project_id` and those of `project.web_analytics.get_config`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 13.
    """
    return Call(
        OPERATION,
        f"/web-analytics/config/{checked_project_id(project_id)}",
    )
