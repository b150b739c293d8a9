"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from project_platform_stub.call import Answer, Call
from project_platform_stub.due_posts import current
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
    posts = [current(call, post) for post in call.project.posts.values()]
    return Answer({"success": True, "data": {"posts": filtered(posts, call.filters, TEXT_FIELDS)}})
