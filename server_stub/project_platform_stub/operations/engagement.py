"""Endpoints 11: like a published page post as the page."""

from __future__ import annotations

from project_platform_stub.http.errors import bad_request, not_found

from . import Call, Result, operation
from .posts import publish_if_due


@operation("engagement_like", "accountId")
def like(call: Call) -> Result:
    """Like a post as a connected page account; liking it again has no effect."""
    account_id = call.body["accountId"].lower()
    post = call.project.posts.get(call.path["postId"].lower())
    # An unpublished post, or a post of another network, is a 404.
    if post is None or post["platform"] != "pagenet" or publish_if_due(call, post)["status"] != "published":
        raise not_found("The project has no such published page post.", "post_not_found")
    account = call.project.accounts.get(account_id)
    if account is None:
        raise not_found("The project has no such account connected.", "account_not_found")
    if account["platform"] != "pagenet":
        raise bad_request("body.accountId", "is not an account of the page network")
    call.project.likes[f"{post['id']} {account_id}"] = {"postId": post["id"], "accountId": account_id}
    return Result({"success": True})
