"""Endpoints 11: like a page post as the page. A second like is a conflict."""

from __future__ import annotations

from typing import Any

from .app import Call, Refusal, operation
from .checks import checked, uuid


@operation("engagement_like", "POST /socials/engagement/pagenet/{projectId}/{postId}/like", needs="social:write")
def like(call: Call) -> dict[str, Any]:
    body = checked(call, ("accountId",), accountId=uuid)
    require_page(call, body["accountId"].lower())
    post = call.find("posts", call.path["postId"], "published post", platform="pagenet", status="published")
    require_first(call, post)
    call.world.likes.add(post["id"])
    return {"success": True}


def require_page(call: Call, account_id: str) -> None:
    call.find("accounts", account_id, "page", platform="pagenet")


def require_first(call: Call, post: dict[str, Any]) -> None:
    if post["id"] in call.world.likes:
        raise Refusal(409, "The page likes this post already.", "liked")
