"""Publishes scheduled posts that are due. Assumed: the specification states only the transition to a failed post."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from project_platform_stub.operations.call import Call
from project_platform_stub.world.domain import Json


def publish_if_due(call: Call, post: Json) -> Json:
    """Return a post, as published if it is scheduled and due, unless the profile switches that off."""
    due = _moment(post) if post["status"] == "scheduled" and call.profile.publish_due_posts else None
    if due is None or due > call.now:
        return post
    permalink = post["permalink"] or f"https://{post['platform']}.example/posts/{post['id']}"
    return {**post, "status": "published", "publishedAt": post["scheduledFor"], "permalink": permalink}


def _moment(post: Mapping[str, str]) -> datetime | None:
    """Return when a post is due; None if `scheduledFor`, which is free text, is not a timestamp with an offset."""
    try:
        due = datetime.fromisoformat(post["scheduledFor"])
    except (TypeError, ValueError):
        return None
    return due if due.tzinfo else None
