"""Endpoints 13 to 15: web-analytics configuration, scheduled posts, photo-network media analytics."""

from __future__ import annotations


def test_the_configuration_is_returned(api, stub, contract):
    """With a value for every field."""
    response = api.call("web_analytics_get_config")

    config = response.json()["config"]
    assert response.status_code == 200
    assert set(config) == set(contract["components"]["schemas"]["WebAnalyticsConfig"]["properties"])
    assert config["projectId"] == stub.project.id


def test_the_configuration_is_null_when_not_configured(api, stub):
    response = api.call("web_analytics_get_config", projectId=stub.other_project.id)

    assert (response.status_code, response.json()) == (200, {"config": None})


def test_all_scheduled_posts_are_listed(api, contract):
    """Posts in several states, with media and account, and all fields of the contract."""
    response = api.call("posts_list").json()

    listed = response["data"]["posts"]
    assert response["success"] is True
    assert {"failed", "scheduled", "published", "draft"} <= {post["status"] for post in listed}
    schemas = contract["components"]["schemas"]
    assert all(set(post) == set(schemas["ScheduledPost"]["properties"]) for post in listed)
    assert all(set(item) == set(schemas["PostMedia"]["properties"]) for post in listed for item in post["media"])
    assert all(post["account"]["username"] for post in listed)
    assert all(bool(post["errorMessage"]) == (post["status"] == "failed") for post in listed)


def test_posts_are_filtered_by_equality(api):
    def filtered(**filters):
        return api.call("posts_list", query=filters).json()["data"]["posts"]

    listed = filtered()

    assert filtered(status="failed") == [post for post in listed if post["status"] == "failed"]
    assert len(filtered(platform="photonet")) == 3
    assert len(filtered(platform="photonet", status="published")) == 1
    assert filtered(status="Failed") == []
    assert filtered(errorMessage="") == []
    assert filtered(id=listed[0]["id"]) == listed[:1]


def test_media_have_their_figures(api, contract):
    response = api.call("photo_analytics_list_media").json()

    media = response["data"]["media"]
    assert response["success"] is True
    assert len(media) >= 3
    assert all(set(item) == set(contract["components"]["schemas"]["MediaAnalytics"]["properties"]) for item in media)
    for item in media:
        assert item["engagement"] == sum(item[name] for name in ("likeCount", "commentsCount", "shares", "saved"))


def test_only_a_photo_account_has_media_analytics(api, stub, refused):
    """An account of the other network is a 404."""
    page = next(account["id"] for account in stub.project.accounts.values() if account["platform"] == "pagenet")

    refused(api.call("photo_analytics_list_media", accountId=page), 404)
