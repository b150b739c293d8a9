"""Endpoints 11: like a page post as the page. A second like is a conflict."""

from __future__ import annotations

from typing import Any

from .app import Call, Refusal, operation
from .checks import checked, uuid


@operation("engagement_like", "POST /socials/engagement/pagenet/{projectId}/{postId}/like", needs="social:write")
def like(call: Call) -> dict[str, Any]:
    body = checked(call, ("accountId",), accountId=uuid)
    require_page(call, body["accountId"].lower())
    post = published_post(call)
    require_first(call, post)
    call.world.likes.add(post["id"])
    return {"success": True}


def require_page(call: Call, account_id: str) -> None:
    account = call.world.accounts.get((call.project, account_id))
    if account is None or account["platform"] != "pagenet":
        raise Refusal(404, "There is no such page.")


def require_first(call: Call, post: dict[str, Any]) -> None:
    if post["id"] in call.world.likes:
        raise Refusal(409, "The page likes this post already.", "liked")


def published_post(call: Call) -> dict[str, Any]:
    """Return the addressed post, which must be a published page post."""
    post = call.world.posts.get((call.project, call.path["postId"]))
    if post is None or post["platform"] != "pagenet" or post["status"] != "published":
        raise Refusal(404, "There is no such published post.")
    return post
