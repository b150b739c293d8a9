"""Endpoints 11: like a published page post as the page."""

from __future__ import annotations

from project_platform_stub.http.errors import bad_request, not_found

from . import operation
from .call import Answer, Call
from .support.publish_due_posts import current


@operation("engagement_like")
def like(call: Call) -> Answer:
    """Like a post in the name of a connected page account; liking it again changes nothing."""
    account_id = call.body["accountId"].lower()
    post = call.project.posts.get(call.path["postId"].lower())
    # A post that is not published, or is one of another network, is not there to be liked.
    if post is None or post["platform"] != "pagenet" or current(call, post)["status"] != "published":
        raise not_found("There is no such published page post in the project.", "post_not_found")
    account = call.project.accounts.get(account_id)
    if account is None:
        raise not_found("There is no such account connected to the project.", "account_not_found")
    if account["platform"] != "pagenet":
        raise bad_request("body.accountId", "is no account of the page network")
    call.project.likes[f"{post['id']} {account_id}"] = {"postId": post["id"], "accountId": account_id}
    return Answer({"success": True})
