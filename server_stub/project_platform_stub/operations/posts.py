"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from . import operation
from .call import Answer, Call
from .support.filters import filtered
from .support.publish_due_posts import publish_if_due

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


@operation("posts_list")
def list_all(call: Call) -> Answer:
    """List all scheduled posts, or those that equal the filters."""
    posts = [publish_if_due(call, post) for post in call.project.posts.values()]
    return Answer({"success": True, "data": {"posts": filtered(posts, call.filters, TEXT_FIELDS)}})
