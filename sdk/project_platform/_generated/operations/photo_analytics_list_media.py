"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import filters as checked_filters
from ...calls.encoding import project_id as checked_project_id
from ...calls.encoding import query, segment
from ...calls.listing import Listing
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.photo_analytics import MediaAnalytics, MediaResponse

OPERATION: Final[Operation[Listing[MediaAnalytics]]] = Operation(
    id="photo_analytics_list_media",
    method="GET",
    path="/socials/analytics/photonet/{project_id}/{account_id}/media",
    retry="safe",
    effect="read",
    section="Endpoints 15",
    read=json_reader(MediaResponse, "data.media", listed=MediaAnalytics),
)


def call(
    project_id: str | UUID,
    account_id: str | UUID,
    *,
    filters: Mapping[str, str] | Unset = UNSET,
) -> Call[Listing[MediaAnalytics]]:
    """Read the media analytics of a photo-network account.

    The arguments are `project_id` and those of `project.photo_analytics.list_media`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 15.
    """
    return Call(
        OPERATION,
        f"/socials/analytics/photonet/{checked_project_id(project_id)}/{segment('account_id', account_id)}/media"
        + query(
            **checked_filters(filters),
        ),
    )
