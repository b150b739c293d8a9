"""Endpoints 11: like a page post as the page. A like cannot be undone."""

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
    """Return whether a response confirms the like."""
    return response.is_success and response.json().get("success") is True


@pytest.mark.rule("engagement.like.published")
def test_a_published_post_is_liked(api: Api, valid_requests: ValidRequests, fact: Fact) -> None:
    """The response to a second like is recorded as a fact."""
    response = like(api, valid_requests)

    assert response.is_success
    assert response.json()["success"] is True
    again = api("engagement_like", **valid_requests("engagement_like"))
    fact("likeAgain", "liked" if _liked(again) else again.status_code, again)


@pytest.mark.rule("engagement.like.unpublished")
def test_a_post_that_is_not_published_is_not_liked(api: Api, data: Data) -> None:
    """The service may refuse, or answer without success."""
    response = api("engagement_like", postId=data["unpublished_page_post"], json={"accountId": data["page_account"]})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.unpublished")
def test_an_unknown_post_is_not_liked(api: Api, data: Data, tag: str) -> None:
    response = api("engagement_like", postId=f"{tag}-nothing", json={"accountId": data["page_account"]})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.as-the-page")
def test_an_unconnected_account_cannot_like(api: Api, data: Data) -> None:
    response = api("engagement_like", postId=data["published_page_post"], json={"accountId": str(uuid.uuid4())})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.as-the-page")
def test_an_account_of_another_network_cannot_like(api: Api, data: Data) -> None:
    """The photo account is connected, but it is not a page."""
    response = api("engagement_like", postId=data["published_page_post"], json={"accountId": data["photo_account"]})

    assert not _liked(response)


@pytest.mark.rule("engagement.like.account-uuid")
@pytest.mark.parametrize("account", ["contract", "", 7, ["contract"]], ids=str)
def test_an_account_id_that_is_not_a_uuid_is_refused(api: Api, data: Data, account: object) -> None:
    response = api("engagement_like", postId=data["published_page_post"], json={"accountId": account})

    assert refused(response)
