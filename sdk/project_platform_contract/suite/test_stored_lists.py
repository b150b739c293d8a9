"""Endpoints 13 to 15: what is stored is what is listed: every item, in whatever number, and every value, falsy ones included.

No operation creates posts, figures or configurations, so only a stub can prove this: some are stored during a test.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.free_form import TEXTS, WORDS
from .support.json_equality import differences
from .support.resources import MEDIA_ANALYTICS, SCHEDULED_POST, WEB_ANALYTICS_CONFIG
from .support.type_check import Kind

_MANY = 130  # Lists are often cut after 10, 20, 50 or 100 items.
_FIGURES = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")


@pytest.mark.rule("posts.list.as-stored")
def test_posts_have_the_stored_values(stub_api: Api, contract_run: Run) -> None:
    """Also empty texts, zeros, nulls, and posts without media."""
    posts = contract_run.target.stub_project("the stored posts").posts
    first = next(iter(posts.values()))
    medium = {**first["media"][0], "sizeBytes": 0, "orderIndex": 0, "filename": ""}
    falsy = {**first, "caption": "", "linkUrl": "", "timezone": "", "permalink": None, "media": [medium]}
    texts = [{**first, "caption": text, "linkUrl": text} for text in (*TEXTS.values(), *WORDS)]

    with _stored(posts, [falsy, {**first, "media": []}, *texts]):
        _assert_listed(posts, stub_api("posts_list").json()["data"]["posts"], SCHEDULED_POST, "id")


@pytest.mark.rule("posts.list.as-stored")
def test_a_long_list_of_posts_is_not_cut(stub_api: Api, contract_run: Run) -> None:
    """Of every status: the specification does not name them all."""
    posts = contract_run.target.stub_project("the number of stored posts").posts
    first = next(iter(posts.values()))
    statuses = ("draft", "published", "failed", "contract")

    with _stored(posts, [{**first, "status": statuses[number % 4]} for number in range(_MANY)]):
        listed = stub_api("posts_list").json()["data"]["posts"]

        assert sorted(post["id"] for post in listed) == sorted(posts)


@pytest.mark.rule("posts.list.as-stored")
def test_all_media_of_a_post_are_listed_in_order(stub_api: Api, contract_run: Run) -> None:
    posts = contract_run.target.stub_project("the stored media of a post").posts
    first = next(iter(posts.values()))
    media = [{**first["media"][0], "id": str(uuid.uuid4()), "orderIndex": number} for number in range(20)]

    with _stored(posts, [{**first, "media": media}]) as (id, *_):
        (listed,) = (post for post in stub_api("posts_list").json()["data"]["posts"] if post["id"] == id)

        assert differences(media, listed["media"]) == []


@pytest.mark.rule("posts.list.as-stored")
def test_posts_of_another_project_are_not_listed(stub_api: Api, contract_run: Run, data: Data) -> None:
    """The other project has a post, too."""
    project, stub = contract_run.target.stub_project("the stored posts"), contract_run.target.stub
    assert stub is not None
    other = stub.world.projects[data["other_project"]]
    post = {**next(iter(project.posts.values())), "projectId": other.id}

    with _stored(other.posts, [post]) as ids:
        listed = {
            id: sorted(post["id"] for post in stub_api("posts_list", projectId=id).json()["data"]["posts"])
            for id in (project.id, other.id)
        }

        assert listed == {project.id: sorted(project.posts), other.id: sorted({*other.posts, *ids})}


@pytest.mark.rule("photo-analytics.media.as-stored")
def test_figures_are_the_stored_ones(stub_api: Api, contract_run: Run, data: Data) -> None:
    """A figure of 0 is 0; one that is not known is null or missing."""
    media = contract_run.target.stub_project("the stored figures").media
    account = data["photo_account"]
    before = media[account]
    first = before[0]
    added = [
        {**first, **dict.fromkeys(_FIGURES, 0), "caption": ""},
        {**first, **dict.fromkeys(_FIGURES, None)},
        *({**first, **dict.fromkeys(_FIGURES, 0), figure: 7} for figure in _FIGURES),
        {**first, **{figure: 2**40 + number for number, figure in enumerate(_FIGURES)}},
        *({**first, "caption": text} for text in (*TEXTS.values(), *WORDS)),
        *(first for _ in range(_MANY)),
    ]
    stored = [*before, *({**item, "mediaId": f"contract-{number}"} for number, item in enumerate(added))]
    media[account] = stored
    try:
        listed = stub_api("photo_analytics_list_media", accountId=account).json()["data"]["media"]
    finally:
        media[account] = before

    _assert_listed({item["mediaId"]: item for item in stored}, listed, MEDIA_ANALYTICS, "mediaId")


@pytest.mark.rule("photo-analytics.media.as-stored")
def test_figures_are_those_of_the_account(stub_api: Api, contract_run: Run, data: Data) -> None:
    """Another account of the network has others, and one without media has none."""
    project = contract_run.target.stub_project("the stored figures")
    account = data["photo_account"]
    other = str(uuid.uuid4())
    project.accounts[other] = {**project.accounts[account], "id": other, "username": "contract"}
    try:
        assert stub_api("photo_analytics_list_media", accountId=other).json()["data"]["media"] == []
        project.media[other] = [{**project.media[account][0], "mediaId": "contract"}]
        listed = {
            id: [
                item["mediaId"] for item in stub_api("photo_analytics_list_media", accountId=id).json()["data"]["media"]
            ]
            for id in (account, other)
        }
    finally:
        project.media.pop(other, None)
        del project.accounts[other]

    assert listed == {account: [item["mediaId"] for item in project.media[account]], other: ["contract"]}


@pytest.mark.rule("web-analytics.config.as-stored")
@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"enabled": False},
        {"analyticsPropertyId": "", "searchSiteUrl": ""},
        {"analyticsPropertyId": None, "analyticsIntegrationAccountId": None},
        {"searchSiteUrl": None, "searchIntegrationAccountId": None},
        {"searchSiteUrl": TEXTS["surrounding blanks"], "analyticsPropertyId": "007"},
        {"searchSiteUrl": "0", "analyticsPropertyId": "null", "searchIntegrationAccountId": "false"},
    ],
    ids=lambda changed: ", ".join(changed) or "unchanged",
)
def test_a_configuration_has_the_stored_values(stub_api: Api, contract_run: Run, changed: dict[str, Any]) -> None:
    """A configuration that is not enabled, or incomplete, is still a configuration."""
    project = contract_run.target.stub_project("the stored configuration")
    before = project.web_analytics
    project.web_analytics = stored = {**(before or {}), **changed}
    try:
        config = stub_api("web_analytics_get_config").json()["config"]
    finally:
        project.web_analytics = before

    assert differences(_documented(stored, WEB_ANALYTICS_CONFIG), _documented(config or {}, WEB_ANALYTICS_CONFIG)) == []


@pytest.mark.rule("web-analytics.config.as-stored")
def test_each_project_has_its_configuration(stub_api: Api, contract_run: Run, data: Data) -> None:
    """The other project has one, too."""
    project, stub = contract_run.target.stub_project("the stored configuration"), contract_run.target.stub
    assert stub is not None
    other = stub.world.projects[data["other_project"]]
    before = other.web_analytics
    other.web_analytics = {**(project.web_analytics or {}), "id": "contract", "projectId": other.id}
    try:
        configs = [
            stub_api("web_analytics_get_config", projectId=item.id).json()["config"] for item in (project, other)
        ]
        expected = [project.web_analytics or {}, other.web_analytics]
    finally:
        other.web_analytics = before

    assert [config and config["id"] for config in configs] == [config["id"] for config in expected]


@contextmanager
def _stored(posts: Any, added: list[dict[str, Any]]) -> Iterator[list[str]]:
    """Store posts, with identifiers that are returned, and remove them at the end."""
    ids = [str(uuid.uuid4()) for _ in added]
    posts.update({id: {**post, "id": id} for id, post in zip(ids, added, strict=True)})
    try:
        yield ids
    finally:
        for id in ids:
            del posts[id]


def _assert_listed(
    stored: Mapping[str, Any], listed: list[dict[str, Any]], fields: Mapping[str, Kind], key: str
) -> None:
    """Compare the documented fields of stored items and listed ones."""
    expected = {id: _documented(item, fields) for id, item in stored.items()}

    assert differences(expected, {str(item.get(key)): _documented(item, fields) for item in listed}) == []
    assert len(listed) == len(expected)


def _documented(value: Any, kind: Kind) -> Any:
    """Return a value without undocumented members, and without those that are null."""
    if isinstance(kind, list) and isinstance(value, list):
        return [_documented(item, kind[0]) for item in value]
    if isinstance(kind, Mapping) and isinstance(value, Mapping):
        return {name: _documented(value[name], field) for name, field in kind.items() if value.get(name) is not None}
    return value
