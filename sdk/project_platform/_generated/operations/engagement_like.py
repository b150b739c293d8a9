"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Final
from uuid import UUID

from ...calls.decoding import json_reader
from ...calls.encoding import body, identifier, segment
from ...calls.encoding import project_id as checked_project_id
from ...calls.operation import Call, Operation
from ..models.engagement import LikeBody, LikeResponse

OPERATION: Final[Operation[bool]] = Operation(
    id="engagement_like",
    method="POST",
    path="/socials/engagement/pagenet/{project_id}/{post_id}/like",
    retry="safe",
    effect="notify",
    section="Endpoints 11",
    settle="repeat",
    read=json_reader(LikeResponse, "success"),
)


def call(
    project_id: str | UUID,
    post_id: str | UUID,
    *,
    account_id: str | UUID,
) -> Call[bool]:
    """Like a published page post as the page.

    The arguments are `project_id` and those of `project.engagement.like`, whose documentation has them.

    Raises:
        UsageError: An argument is invalid; nothing was sent.

    Source: the specification, Endpoints 11.
    """
    return Call(
        OPERATION,
        f"/socials/engagement/pagenet/{checked_project_id(project_id)}/{segment('post_id', post_id)}/like",
        body(
            LikeBody,
            account_id=identifier(account_id),
        ),
    )
