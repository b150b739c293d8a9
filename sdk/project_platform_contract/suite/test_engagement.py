"""Endpoints 11: like a page post as the page. A like cannot be undone."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact, SignIn
from project_platform_contract.run.contract_run import Run

from .support.controls import PlainResponse
from .support.lists import items_of
from .support.valid_requests import ValidRequests

_STORED = "b5d0a1f2-0c56-4c8e-9b7e-2f6d8a4c1e30"  # Identifier of a post or an account that a test stores in the stub.


@pytest.fixture
def photo_post(contract_run: Run, data: Data) -> Iterator[str]:
    """A published post of another network: that of the data file, or one that is stored in the stub for the test."""
    if contract_run.target.stub is None or "published_photo_post" in data.values:
        yield data["published_photo_post"]
        return
    posts = contract_run.target.stub.project.posts
    page = posts[data["published_page_post"]]
    posts[_STORED] = {**page, "id": _STORED, "platform": "photonet", "socialAccountId": data["photo_account"]}
    contract_run.fuse.created.add(_STORED)
    yield _STORED
    del posts[_STORED]


@pytest.fixture
def other_page_account(contract_run: Run, data: Data) -> Iterator[str]:
    """A page account of the other project: that of the data file, or one that is stored in the stub for the test."""
    if contract_run.target.stub is None or "other_page_account" in data.values:
        yield data["other_page_account"]
        return
    stub = contract_run.target.stub
    accounts = stub.world.projects[data["other_project"]].accounts
    accounts[_STORED] = {**stub.project.accounts[data["page_account"]], "id": _STORED}
    contract_run.fuse.created.add(_STORED)
    yield _STORED
    del accounts[_STORED]


def _require_unpublished(api: Api, data: Data) -> None:
    """Require that no post was published since the data file was written, as a scheduled one is: it would be liked."""
    response = api("posts_list")
    posts = items_of("posts_list", response) if response.is_success else []
    published = {post["id"] for post in posts if post.get("publishedAt")}
    for name in ("unpublished_page_post", "failed_post"):
        if data.values.get(name) in published:
            raise MissingError(f"the post {name} of the data file was published since; name another one")


def _liked(response: httpx.Response) -> bool:
    """Return whether a response confirms the like."""
    return response.is_success and response.json().get("success") is True


@pytest.mark.rule("engagement.like.published")
def test_a_published_post_is_liked(api: Api, plain: PlainResponse, valid_requests: ValidRequests, fact: Fact) -> None:
    """The response to a second like is recorded as a fact."""
    response = plain("engagement_like")

    assert response.is_success
    assert response.json()["success"] is True
    again = api("engagement_like", **valid_requests("engagement_like"))
    fact("likeAgain", "liked" if _liked(again) else again.status_code, again)


@pytest.mark.rule("engagement.like.given")
def test_a_like_is_given(api: Api, contract_run: Run, data: Data) -> None:
    """By the page, once; a second like does not take it back. No operation shows likes, so only a stub can prove this."""
    likes = contract_run.target.stub_project("the likes of a post").likes
    like = {"postId": data["published_page_post"], "accountId": data["page_account"]}
    for key in list(likes):
        del likes[key]

    assert _liked(api("engagement_like", postId=like["postId"], json={"accountId": like["accountId"]}))

    assert list(likes.values()) == [like]
    api("engagement_like", postId=like["postId"], json={"accountId": like["accountId"]})
    assert list(likes.values()) == [like]


@pytest.mark.parametrize(
    "rule",
    [
        pytest.param(rule, marks=pytest.mark.rule(f"engagement.like.{rule}"))
        for rule in ("unpublished", "as-the-page", "refused-not-given")
    ],
)
def test_nothing_else_is_liked_after_a_like(sign_in: SignIn, contract_run: Run, data: Data, rule: str) -> None:
    """Neither another post by the page, nor the post by another account, nor both, by whichever caller; nor is a like taken back.

    The plain request of the operation, which every process sends first, has liked the post. Only a stub shows its likes.
    """
    api = sign_in("owner")
    if rule == "unpublished":
        _require_unpublished(api, data)
    likes: Mapping[str, Any] = {}
    page, published, values = data["page_account"], data["published_page_post"], data.values
    accounts = [*filter(None, [values.get("photo_account")]), contract_run.unknown_id]
    posts = [*filter(None, [values.get("unpublished_page_post")]), f"{contract_run.tag}-nothing"]
    by_others = [(published, account) for account in (*accounts, contract_run.tag)]  # The last one is no UUID.
    of_others = [(post, account) for post in posts for account in (page, *accounts)]
    of_others += [(post, page) for post in filter(None, [values.get("failed_post")])]
    pairs = {"unpublished": of_others, "as-the-page": by_others}.get(rule, [*of_others, *by_others])
    attempts = [(api, pairs)]
    if rule == "refused-not-given":
        likes = contract_run.target.stub_project("the likes of a post").likes
    elif "viewer" in data.tokens:
        attempts.append((sign_in("viewer"), pairs[-2::-1]))  # all but the last one
    expected = list(likes.values())

    for caller, order in attempts:
        for post, account in order:
            response = caller("engagement_like", postId=post, json={"accountId": account})
            assert not _liked(response), (post, account)
            assert list(likes.values()) == expected, (post, account)
    for name in ("photo_account", *(["unpublished_page_post"] if rule == "unpublished" else [])):
        data[name]  # what the service does without it was not tried


@pytest.mark.rule("engagement.like.page-only")
def test_a_post_of_another_network_is_not_liked(api: Api, photo_post: str, data: Data) -> None:
    for account in (data["page_account"], data["photo_account"]):
        assert not _liked(api("engagement_like", postId=photo_post, json={"accountId": account})), account


@pytest.mark.rule("engagement.like.page-only")
def test_an_account_of_another_project_cannot_like(api: Api, other_page_account: str, data: Data) -> None:
    """Neither in the project of the post nor in its own."""
    post, body = data["published_page_post"], {"accountId": other_page_account}

    here = api("engagement_like", postId=post, json=body)
    there = api("engagement_like", projectId=data["other_project"], postId=post, json=body)

    assert [_liked(here), _liked(there)] == [False, False]
