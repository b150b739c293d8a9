"""Endpoints 14 and 15: list scheduled posts, and the figures of the media of a photo account."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import httpx
import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact
from project_platform_contract.run.contract_run import Run

from .support.lists import LASTING, id_of, items_of, some_fields
from .support.reading import refused

_CANDIDATES = ("status", "platform", "socialAccountId", "id")
_STATUSES = ("published", "failed", "scheduled", "draft")
_ACCOUNTS = ("page_account", "photo_account")
_MEDIA = "photo_analytics_list_media"
_FIGURES = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")

Item = dict[str, Any]


def _posts(api: Api) -> list[Item]:
    response = api("posts_list")
    assert response.is_success, f"the posts were not listed: {response.status_code}"
    return items_of("posts_list", response)


def _some(api: Api) -> list[Item]:
    posts = _posts(api)
    if not posts:
        raise MissingError("the project has no posts")
    return posts


def _lasting(post: Item) -> Item:
    """Return what a post has in every list that has it."""
    account, media = post.get("account") or {}, post.get("media") or []
    parts = {"account": account.get("username"), "media": [each.get("id") for each in media]}
    return some_fields(post, LASTING["posts_list"]) | parts


def _media(api: Api, account: str) -> list[Item]:
    response = api(_MEDIA, accountId=account)
    assert response.is_success, f"the media were not listed: {response.status_code}"
    media = items_of(_MEDIA, response)
    if not media:
        raise MissingError("the photo account has no media")
    return media


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


@pytest.mark.rule("posts.list.all", "posts.list.filters-narrow")
def test_a_filter_only_narrows_the_list(api: Api, data: Data, fact: Fact) -> None:
    """Whichever post it is for: the whole list has it. Those of the usual names of filters that work are recorded as a fact."""
    posts = _some(api)
    # The smallest value is the one with which `_filters_that_work` begins, so that one request serves both.
    values = {name: [post[name] for post in posts if isinstance(post.get(name), str)] for name in _CANDIDATES}
    filters = [(name, min(found, default=posts[0].get("socialAccountId"))) for name, found in values.items()]
    filters += [("status", status) for status in _STATUSES]
    filters += [("socialAccountId", data.values[name]) for name in _ACCOUNTS if name in data.values]

    responses = [api("posts_list", query={name: value}) for name, value in filters]

    listed = [post for each in responses if each.is_success for post in items_of("posts_list", each)]
    whole = {post["id"]: _lasting(post) for post in _posts(api)}
    assert [post["id"] for post in listed if whole.get(post["id"]) != _lasting(post)] == []
    working, response = _filters_that_work(api, "posts_list", _CANDIDATES, posts)
    fact("filters.posts_list", working, response)


@pytest.mark.rule("photo-analytics.media.per-post")
def test_every_media_item_is_listed_once_with_figures(api: Api, data: Data, fact: Fact) -> None:
    """Not every item needs every figure. The filters are recorded as a fact."""
    account = data["photo_account"]
    media = _media(api, account)

    ids = [item["mediaId"] for item in media]
    assert sorted(ids) == sorted(set(ids))
    assert [item["mediaId"] for item in media if not any(item.get(figure) is not None for figure in _FIGURES)] == []
    names = ("mediaType", "mediaId", "caption")
    working, response = _filters_that_work(api, _MEDIA, names, media, accountId=account)
    fact(f"filters.{_MEDIA}", working, response)


@pytest.mark.rule("photo-analytics.media.of-account")
def test_the_accounts_of_a_network_have_their_own_figures(api: Api, data: Data) -> None:
    """Those of the photo network that have posts."""
    own = data["photo_account"]
    posts = _posts(api)
    networks = {post.get("platform") for post in posts if post["socialAccountId"] == own}
    others = {post["socialAccountId"] for post in posts if post.get("platform") in networks} - {own}
    listed = [id_of(item) for item in _media(api, own)]
    for account in sorted(others):
        response = api(_MEDIA, accountId=account)
        listed += [] if refused(response) else [id_of(item) for item in items_of(_MEDIA, response)]

    assert sorted(listed) == sorted({*listed})


@pytest.mark.parametrize(
    "which",
    [
        pytest.param("unconnected", marks=pytest.mark.rule("photo-analytics.media.of-account")),
        pytest.param("of another network", marks=pytest.mark.rule("photo-analytics.media.of-account")),
        pytest.param("elsewhere", marks=pytest.mark.rule("scope.own-things.photo-analytics-list-media")),
    ],
)
def test_another_account_has_no_figures(api: Api, contract_run: Run, data: Data, which: str) -> None:
    """Nor has the account any in another project. The service may refuse the request, or list nothing."""
    figures = {item["mediaId"] for item in _media(api, data["photo_account"])}
    path: dict[str, Any] = {"accountId": contract_run.unknown_id}
    if which == "of another network":
        path = {"accountId": data["page_account"]}
    elif which == "elsewhere":
        path = {"accountId": data["photo_account"], "projectId": data["other_project"]}

    response = api(_MEDIA, **path)

    others = [] if refused(response) else [item["mediaId"] for item in items_of(_MEDIA, response)]
    assert not figures & {*others}
    assert which == "of another network" or not others


def _filters_that_work(
    api: Api, operation: str, candidates: Iterable[str], items: list[Item], **path: Any
) -> tuple[list[str], httpx.Response]:
    """Return the names of query parameters that filter a list, and the last response.

    Args:
        api: The `Api` that lists.
        operation: The operationId.
        candidates: Names of fields, which are tried as names of filters: the specification gives no names.
        items: The items without a filter.
        path: Path parameters.
    """
    working = []
    response = api(operation, **path)
    for name in candidates:
        for value in sorted({item[name] for item in items if isinstance(item.get(name), str)}):
            expected = [id_of(item) for item in items if item.get(name) == value]
            if len(expected) == len(items):
                continue  # the filter would have no effect
            response = api(operation, query={name: value}, **path)
            # Other members may differ between two responses.
            if response.is_success and [id_of(item) for item in items_of(operation, response)] == expected:
                working.append(name)
            break
    return working, response
