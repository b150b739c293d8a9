"""Scheduled posts whose time has come. Assumed: the specification shows no transition but that of a failed post."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime

from project_platform_stub.operations.call import Call
from project_platform_stub.world.domain import Json


def current(call: Call, post: Json) -> Json:
    """Return a post as it is by now: one that was due reads as published, unless the profile says otherwise."""
    due = _moment(post) if post["status"] == "scheduled" and call.profile.publish_due_posts else None
    if due is None or due > call.now:
        return post
    permalink = post["permalink"] or f"https://{post['platform']}.example/posts/{post['id']}"
    return {**post, "status": "published", "publishedAt": post["scheduledFor"], "permalink": permalink}


def _moment(post: Mapping[str, str]) -> datetime | None:
    """Return when a post is due; None where its time is no timestamp with an offset, since the field is free text."""
    try:
        due = datetime.fromisoformat(post["scheduledFor"])
    except (TypeError, ValueError):
        return None
    return due if due.tzinfo else None
