"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import filters as checked_filters
from ...calls.encoding import project_id as checked_project_id
from ...calls.encoding import query
from ...calls.listing import Listing
from ...calls.operation import UNSET, Call, Operation, Unset
from ..models.posts import PostsResponse, ScheduledPost

OPERATION: Final[Operation[Listing[ScheduledPost]]] = Operation(
    id="posts_list",
    method="GET",
    path="/socials/posts/{project_id}",
    retry="safe",
    effect="read",
    section="Endpoints 14",
    read=json_reader(PostsResponse, "data.posts", listed=ScheduledPost),
)


def call(
    project_id: str | UUID,
    *,
    filters: Mapping[str, str] | Unset = UNSET,
) -> Call[Listing[ScheduledPost]]:
    """List the scheduled posts of a project.

    The arguments are `project_id` and those of `project.posts.list`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 14.
    """
    return Call(
        OPERATION,
        f"/socials/posts/{checked_project_id(project_id)}"
        + query(
            **checked_filters(filters),
        ),
    )
