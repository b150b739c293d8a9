"""Endpoints 11: like a page post as the page. No operation takes a like back, so the post stays liked."""

from __future__ import annotations

import uuid

import httpx
import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api, Fact

from .support.likes import like
from .support.reading import refused
from .support.valid_requests import ValidRequests


def _liked(response: httpx.Response) -> bool:
    """Return whether an answer says that the post was liked."""
    return response.is_success and response.json().get("success") is True


@pytest.mark.rule("engagement.like.published")
def test_a_published_post_is_liked(api: Api, valid_requests: ValidRequests, fact: Fact) -> None:
    """What a second like of the same page is answered with is left open."""
    response = like(api, valid_requests)

    assert response.is_success
    assert response.json()["success"] is True
    again = api("engagement_like", **valid_requests("engagement_like"))
    fact("likeAgain", "liked" if _liked(again) else again.status_code, again)


@pytest.mark.rule("engagement.like.unpublished")
def test_a_post_that_is_not_published_is_not_liked(api: Api, data: Data) -> None:
    """It may be refused, or answered without success."""
    response = api("engagement_like", postId=data["unpublished_page_post"], json={"accountId": data["page_account"]})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.unpublished")
def test_a_post_that_does_not_exist_is_not_liked(api: Api, data: Data, tag: str) -> None:
    """There is nothing to like."""
    response = api("engagement_like", postId=f"{tag}-nothing", json={"accountId": data["page_account"]})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.as-the-page")
def test_an_account_that_is_not_connected_does_not_like(api: Api, data: Data) -> None:
    """Its identifier is a UUID like any other."""
    response = api("engagement_like", postId=data["published_page_post"], json={"accountId": str(uuid.uuid4())})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.as-the-page")
def test_an_account_of_another_network_does_not_like(api: Api, data: Data) -> None:
    """The photo account is connected, but it is no page."""
    response = api("engagement_like", postId=data["published_page_post"], json={"accountId": data["photo_account"]})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.account-uuid")
@pytest.mark.parametrize("account", ["contract", "", 7, ["contract"]], ids=str)
def test_what_is_no_uuid_is_no_account(api: Api, data: Data, account: object) -> None:
    """Whatever the post is."""
    response = api("engagement_like", postId=data["published_page_post"], json={"accountId": account})

    assert refused(response)
