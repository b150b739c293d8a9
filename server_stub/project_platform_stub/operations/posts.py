"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from project_platform_stub.contract import load_contract

from . import operation
from .call import Call, Result
from .support.filters import filtered
from .support.publish_due_posts import publish_if_due

TEXT_FIELDS = load_contract().schema_fields("ScheduledPost", "string")


@operation("posts_list")
def list_all(call: Call) -> Result:
    """List all scheduled posts, or those that equal the filters."""
    posts = [publish_if_due(call, post) for post in call.project.posts.values()]
    return Result({"success": True, "data": {"posts": filtered(posts, call.filters, TEXT_FIELDS)}})
