"""Endpoints 13 to 15: web-analytics configuration, scheduled posts, photo-network media analytics."""

from __future__ import annotations

import pytest


@pytest.fixture
def list_posts(api, stub):
    return lambda project=None, **filters: api.get(f"/socials/posts/{project or stub.project.id}", params=filters)


@pytest.fixture
def photo_account(stub):
    return next(account["id"] for account in stub.project.accounts.values() if account["platform"] == "photonet")


@pytest.fixture
def list_media(api, stub):
    return lambda of, /, **query: api.get(f"/socials/analytics/photonet/{stub.project.id}/{of}/media", params=query)


def test_the_configuration_is_returned(api, stub, contract):
    """With a value for every field."""
    response = api.get(f"/web-analytics/config/{stub.project.id}")

    config = response.json()["config"]
    assert response.status_code == 200
    assert set(config) == set(contract["components"]["schemas"]["WebAnalyticsConfig"]["properties"])
    assert config["projectId"] == stub.project.id


def test_the_configuration_is_null_when_not_configured(api, stub):
    response = api.get(f"/web-analytics/config/{stub.other_project.id}")

    assert (response.status_code, response.json()) == (200, {"config": None})


def test_all_scheduled_posts_are_listed(list_posts, contract):
    """Posts in several states, with media and account, and all fields of the contract."""
    answer = list_posts().json()

    listed = answer["data"]["posts"]
    assert answer["success"] is True
    assert {"failed", "scheduled", "published", "draft"} <= {post["status"] for post in listed}
    schemas = contract["components"]["schemas"]
    assert all(set(post) == set(schemas["ScheduledPost"]["properties"]) for post in listed)
    assert all(set(item) == set(schemas["PostMedia"]["properties"]) for post in listed for item in post["media"])
    assert all(post["account"]["username"] for post in listed)
    assert all(bool(post["errorMessage"]) == (post["status"] == "failed") for post in listed)


def test_posts_are_filtered_by_equality(list_posts):
    listed = list_posts().json()["data"]["posts"]

    def filtered(**filters):
        return list_posts(**filters).json()["data"]["posts"]

    assert filtered(status="failed") == [post for post in listed if post["status"] == "failed"]
    assert len(filtered(platform="photonet")) == 3
    assert len(filtered(platform="photonet", status="published")) == 1
    assert filtered(status="Failed") == []
    assert filtered(errorMessage="") == []
    assert filtered(id=listed[0]["id"]) == listed[:1]


@pytest.mark.parametrize("name", ["state", "media", "account", "limit", ""])
def test_an_unknown_filter_is_refused(list_posts, list_media, photo_account, refused, name):
    """Only string fields can be filtered by; the message names the parameter."""
    refused(list_posts(**{name: "x"}), 400, f"query.{name}: ")
    refused(list_media(photo_account, **{name: "x"}), 400, f"query.{name}: ")


def test_media_have_their_figures(list_media, photo_account, contract):
    answer = list_media(photo_account).json()

    media = answer["data"]["media"]
    assert answer["success"] is True
    assert len(media) >= 3
    assert all(set(item) == set(contract["components"]["schemas"]["MediaAnalytics"]["properties"]) for item in media)
    for item in media:
        assert item["engagement"] == sum(item[name] for name in ("likeCount", "commentsCount", "shares", "saved"))


def test_only_a_photo_account_has_media_analytics(list_media, stub, refused):
    """An account of the other network, or one that is not connected, is a 404."""
    page = next(account["id"] for account in stub.project.accounts.values() if account["platform"] == "pagenet")

    refused(list_media(page), 404)
    refused(list_media("unknown"), 404)
