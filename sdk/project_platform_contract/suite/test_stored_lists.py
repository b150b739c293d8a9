"""Endpoints 13 to 15: what is stored is what is listed: every item, in whatever number, and every value, falsy ones included.

No operation creates posts, figures or configurations, so only a stub can prove this: some are stored during a test.
"""

from __future__ import annotations

import uuid
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any

import pytest

from project_platform_contract.data.data_file import Data
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run

from .support.free_form import TEXTS, WORDS
from .support.json_equality import differences
from .support.lists import LISTS, id_of, some_fields

_MANY = 130  # Lists are often cut after 10, 20, 50 or 100 items.
_STATUSES = ("draft", "published", "failed", "contract")  # The specification does not name them all.
_FIGURES = ("likeCount", "commentsCount", "shares", "impressions", "reach", "saved", "engagement")


@pytest.mark.rule("posts.list.as-stored")
def test_posts_are_the_stored_ones(stub_api: Api, contract_run: Run, data: Data) -> None:
    """All of both projects, of every status, also with empty texts, zeros, nulls, many media in their order, or none."""
    project, stub = contract_run.target.stub_project("the stored posts"), contract_run.target.stub
    assert stub is not None
    other = stub.world.projects[data["other_project"]]
    first = next(iter(project.posts.values()))
    medium = first["media"][0]
    added = [
        {**first, "caption": "", "linkUrl": "", "timezone": "", "permalink": None},
        {**first, "media": [{**medium, "sizeBytes": 0, "orderIndex": 0, "filename": ""}]},
        {**first, "media": [{**medium, "id": str(uuid.uuid4()), "orderIndex": number} for number in range(20)]},
        {**first, "media": []},
        *({**first, "caption": text, "linkUrl": text} for text in (*TEXTS.values(), *WORDS)),
        *({**first, "status": _STATUSES[number % len(_STATUSES)]} for number in range(_MANY)),
    ]

    with _stored(project.posts, added), _stored(other.posts, [{**first, "projectId": other.id}]):
        for each in (project, other):
            listed = stub_api("posts_list", projectId=each.id).json()["data"]["posts"]
            _assert_listed("posts_list", each.posts.values(), listed)


@pytest.mark.rule("photo-analytics.media.as-stored")
def test_figures_are_the_stored_ones_of_the_account(stub_api: Api, contract_run: Run, data: Data) -> None:
    """A figure of 0 is 0; one that is not known is null or missing. Of two other accounts, one has another medium and one none."""
    project = contract_run.target.stub_project("the stored figures")
    account, other, empty = data["photo_account"], str(uuid.uuid4()), str(uuid.uuid4())
    before = project.media[account]
    first = before[0]
    added = [
        {**first, **dict.fromkeys(_FIGURES, 0), "caption": ""},
        {**first, **dict.fromkeys(_FIGURES, None)},
        *({**first, **dict.fromkeys(_FIGURES, 0), figure: 7} for figure in _FIGURES),
        {**first, **{figure: 2**40 + number for number, figure in enumerate(_FIGURES)}},
        *({**first, "caption": text} for text in (*TEXTS.values(), *WORDS)),
        *(first for _ in range(_MANY)),
    ]
    stored = {
        account: [*before, *({**item, "mediaId": f"contract-{number}"} for number, item in enumerate(added))],
        other: [{**first, "mediaId": "contract"}],
        empty: [],
    }
    for id in (other, empty):
        project.accounts[id] = {**project.accounts[account], "id": id, "username": "contract"}
    project.media[account], project.media[other] = stored[account], stored[other]
    try:
        listed = {id: stub_api("photo_analytics_list_media", accountId=id).json()["data"]["media"] for id in stored}
    finally:
        project.media[account] = before
        del project.media[other], project.accounts[other], project.accounts[empty]

    for id, media in stored.items():
        _assert_listed("photo_analytics_list_media", media, listed[id])


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
def test_configurations_are_the_stored_ones(
    stub_api: Api, contract_run: Run, data: Data, changed: dict[str, Any]
) -> None:
    """Each of its project. One that is not enabled, or incomplete, is still a configuration."""
    operation = "web_analytics_get_config"
    project, stub = contract_run.target.stub_project("the stored configuration"), contract_run.target.stub
    assert stub is not None
    other = stub.world.projects[data["other_project"]]
    before = project.web_analytics, other.web_analytics
    project.web_analytics = {**(project.web_analytics or {}), **changed}
    other.web_analytics = {**project.web_analytics, "id": "contract", "projectId": other.id}
    try:
        for each in (project, other):
            config = stub_api(operation, projectId=each.id).json()["config"]
            assert differences(_documented(operation, each.web_analytics), _documented(operation, config or {})) == []
    finally:
        project.web_analytics, other.web_analytics = before


@contextmanager
def _stored(posts: Any, added: list[dict[str, Any]]) -> Iterator[None]:
    """Store posts with other identifiers, and remove them at the end."""
    ids = [str(uuid.uuid4()) for _ in added]
    posts.update({id: {**post, "id": id} for id, post in zip(ids, added, strict=True)})
    try:
        yield
    finally:
        for id in ids:
            del posts[id]


def _assert_listed(operation: str, stored: Iterable[Any], listed: list[dict[str, Any]]) -> None:
    """Compare the documented fields of stored items and listed ones."""
    expected = {str(id_of(item)): _documented(operation, item) for item in stored}

    assert differences(expected, {str(id_of(item)): _documented(operation, item) for item in listed}) == []
    assert len(listed) == len(expected)


def _documented(operation: str, item: Any) -> Any:
    """Return a thing without undocumented fields, and without those that are null, at any depth."""
    return _without_nulls(some_fields(item, LISTS[operation][1]))


def _without_nulls(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_nulls(item) for item in value]
    if isinstance(value, Mapping):
        return {name: _without_nulls(member) for name, member in value.items() if member is not None}
    return value
