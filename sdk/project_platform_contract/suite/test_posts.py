"""Endpoints 14: list scheduled posts."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact

from .support.filters import filters_that_work

_CANDIDATES = ("status", "platform", "socialAccountId", "id")
_STATUSES = ("published", "failed", "scheduled", "draft")

Post = dict[str, Any]


def _posts(api: Api, **query: str) -> list[Post]:
    response = api("posts_list", query=query)
    assert response.is_success, f"the posts were not listed: {response.status_code}"
    posts: list[Post] = response.json()["data"]["posts"]
    return posts


def _some(api: Api) -> list[Post]:
    posts = _posts(api)
    if not posts:
        raise MissingError("the project has no posts")
    return posts


@pytest.mark.rule("states.post-failed")
def test_a_failed_post_has_the_status_failed(api: Api, data: Data) -> None:
    failed = data["failed_post"]

    assert [post["status"] for post in _posts(api) if post["id"] == failed] == ["failed"]


@pytest.mark.rule("posts.list.all")
def test_all_posts_are_listed_once(api: Api, data: Data) -> None:
    """Published or not."""
    ids = [post["id"] for post in _posts(api)]

    expected = {data["published_page_post"], data["unpublished_page_post"], data["failed_post"]}
    assert expected <= set(ids)
    assert sorted(ids) == sorted(set(ids))


@pytest.mark.rule("posts.list.all")
def test_a_filtered_list_has_no_post_that_the_whole_one_lacks(api: Api, data: Data) -> None:
    """Of a status, or of an account of the data file, if that is what a filter is called."""
    accounts = [data.values[name] for name in ("page_account", "photo_account") if name in data.values]
    filters = [*(("status", status) for status in _STATUSES), *(("socialAccountId", account) for account in accounts)]

    responses = [api("posts_list", query={name: value}) for name, value in filters]

    listed = [response.json()["data"]["posts"] for response in responses if response.is_success]
    whole = {post["id"] for post in _posts(api)}
    assert [post["id"] for posts in listed for post in posts if post["id"] not in whole] == []


@pytest.mark.rule("posts.list.account-id")
def test_the_social_account_of_a_post_is_the_account_that_posts(api: Api, data: Data) -> None:
    """The page account has the published post of the page; its id is not that of the post or of a container."""
    posts = {post["id"]: post for post in _posts(api)}

    assert posts[data["published_page_post"]]["socialAccountId"].lower() == data["page_account"].lower()


@pytest.mark.rule("posts.list.account-platform")
def test_posts_of_an_account_have_its_platform(api: Api) -> None:
    platforms: dict[str, set[str]] = {}
    for post in _some(api):
        if post.get("platform") is not None:
            platforms.setdefault(post["socialAccountId"], set()).add(post["platform"])

    assert {account: seen for account, seen in platforms.items() if len(seen) > 1} == {}


@pytest.mark.rule("posts.list.filters-narrow")
def test_a_filter_only_narrows_the_list(api: Api, fact: Fact) -> None:
    """The specification does not name the filters; those of the candidates that work are recorded as a fact."""
    posts = _some(api)
    everything = {post["id"] for post in posts}

    for name in _CANDIDATES:
        # The smallest value is the one with which `filters_that_work` begins, so that one request serves both.
        values = [post[name] for post in posts if isinstance(post.get(name), str)]
        value = min(values, default=posts[0].get("socialAccountId"))
        response = api("posts_list", query={name: value})
        if response.is_success:
            assert {post["id"] for post in response.json()["data"]["posts"]} <= everything

    working, response = filters_that_work(api, "posts_list", _CANDIDATES, posts, lambda body: body["data"]["posts"])
    fact("filters.posts_list", working, response)
