"""Endpoints 11: like a page post as the page."""

from __future__ import annotations

import pytest


@pytest.fixture
def find(stub):
    def find(kind, **fields):
        items = getattr(stub.project, kind).values()
        return next(item["id"] for item in items if fields.items() <= item.items())

    return find


@pytest.fixture
def like(api):
    return lambda post, account: api.call("engagement_like", postId=post, accountId=account)


def test_a_post_is_liked_once(like, find, stub):
    post, page = find("posts", platform="pagenet", status="published"), find("accounts", platform="pagenet")

    responses = [like(post, page), like(post, page.upper())]

    assert [(response.status_code, response.json()) for response in responses] == [(200, {"success": True})] * 2
    assert dict(stub.project.likes) == {f"{post} {page}": {"postId": post, "accountId": page}}


@pytest.mark.parametrize(("platform", "status"), [("pagenet", "scheduled"), ("photonet", "published")])
def test_only_a_published_page_post_can_be_liked(*, like, find, refused, stub, platform, status):
    """Any other post is a 404, and so is a missing one."""
    page = find("accounts", platform="pagenet")

    refused(like(find("posts", platform=platform, status=status), page), 404)
    refused(like("unknown", page), 404)
    assert stub.project.likes == {}


def test_only_a_connected_page_can_like(like, find, refused):
    """An unknown account is a 404; an account of the photo network is a 400."""
    post = find("posts", platform="pagenet", status="published")

    refused(like(post, "0b9c4c6e-0000-4000-8000-000000000000"), 404)
    refused(like(post, find("accounts", platform="photonet")), 400, "body.accountId: ")
