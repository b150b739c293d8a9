"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from datetime import datetime

from project_platform_stub.contract import load_contract
from project_platform_stub.http.errors import bad_request
from project_platform_stub.world.domain import Json

from . import Call, Result, operation

TEXT_FIELDS = load_contract().schema_fields("ScheduledPost", "string")


@operation("posts_list")
def list_all(call: Call) -> Result:
    """List all scheduled posts, or those that equal the filters."""
    posts = [publish_if_due(call, post) for post in call.project.posts.values()]
    return Result({"success": True, "data": {"posts": filtered(posts, call.filters, TEXT_FIELDS)}})


def publish_if_due(call: Call, post: Json) -> Json:
    """Return a post, as published if it is scheduled and due, unless the profile switches that off.

    Assumed: the specification states only the transition from a failed post.
    """
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


def filtered(items: Iterable[Json], filters: Mapping[str, str], fields: Iterable[str]) -> list[Json]:
    """Return the items whose fields equal all filters, whose names the specification does not state, or raise a 400."""
    known = frozenset(fields)
    for name in filters:
        if name not in known:
            raise bad_request(f"query.{name}", "is not a field to filter by")
    return [item for item in items if all(item.get(name) == value for name, value in filters.items())]
