"""Endpoints 15: photo-network media analytics."""

from __future__ import annotations

import uuid
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api, Fact

from .support.filters import filters_that_work
from .support.reading import refused

_FIGURES = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")
_CANDIDATES = ("mediaType", "mediaId", "caption")

Media = dict[str, Any]


def _media(api: Api, account: str) -> list[Media]:
    response = api("photo_analytics_list_media", accountId=account)
    assert response.is_success, f"the media were not listed: {response.status_code}"
    media: list[Media] = response.json()["data"]["media"]
    if not media:
        raise MissingError("the photo account has no media")
    return media


@pytest.mark.rule("photo-analytics.media.per-post")
def test_every_media_item_is_listed_once_with_figures(api: Api, data: Data, fact: Fact) -> None:
    """Not every item needs every figure. The filters are recorded as a fact."""
    media = _media(api, data["photo_account"])

    ids = [item["mediaId"] for item in media]
    assert sorted(ids) == sorted(set(ids))
    assert [item["mediaId"] for item in media if not any(item.get(figure) is not None for figure in _FIGURES)] == []
    working, response = filters_that_work(
        api,
        "photo_analytics_list_media",
        _CANDIDATES,
        media,
        lambda body: body["data"]["media"],
        accountId=data["photo_account"],
    )
    fact("filters.photo_analytics_list_media", working, response)


@pytest.mark.rule("photo-analytics.media.of-account")
def test_an_unconnected_account_has_no_figures(api: Api, data: Data) -> None:
    assert _media(api, data["photo_account"])

    response = api("photo_analytics_list_media", accountId=str(uuid.uuid4()))

    assert refused(response) or response.json()["data"]["media"] == []


@pytest.mark.rule("photo-analytics.media.of-account")
def test_an_account_of_another_network_has_no_figures(api: Api, data: Data) -> None:
    figures = {item["mediaId"] for item in _media(api, data["photo_account"])}

    response = api("photo_analytics_list_media", accountId=data["page_account"])

    assert refused(response) or not figures & {item["mediaId"] for item in response.json()["data"]["media"]}
