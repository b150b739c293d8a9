"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from project_platform_stub.call import Answer, Call, ok
from project_platform_stub.filters import filtered

TEXT_FIELDS = (
    "id",
    "projectId",
    "socialAccountId",
    "platform",
    "caption",
    "mediaType",
    "containerId",
    "scheduledFor",
    "timezone",
    "status",
    "publishedAt",
    "permalink",
    "errorMessage",
    "createdAt",
    "updatedAt",
    "linkUrl",
    "coverStoreUrl",
)


def list_all(call: Call) -> Answer:
    """List all scheduled posts, or those that equal the filters."""
    return ok({"success": True, "data": {"posts": filtered(call.project.posts.values(), call.filters, TEXT_FIELDS)}})
