"""Endpoints 12 to 15: what a project has is the same for every caller who may read it."""

from __future__ import annotations

from collections.abc import Collection
from typing import Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, SignIn

from .support.preconditions import require_success
from .support.resources import AGENT, MEDIA_ANALYTICS, SCHEDULED_POST, WEB_ANALYTICS_CONFIG
from .support.valid_requests import ValidRequests

_RULES = {
    "agents_list": "agents.list.all",
    "posts_list": "posts.list.every-caller",
    "photo_analytics_list_media": "photo-analytics.media.every-caller",
    "web_analytics_get_config": "web-analytics.config.every-caller",
}
_FIELDS: Final[dict[str, tuple[str, Collection[str]]]] = {
    "agents_list": ("agents", AGENT),
    "posts_list": ("posts", SCHEDULED_POST),
    "photo_analytics_list_media": ("media", MEDIA_ANALYTICS),
    "web_analytics_get_config": ("config", WEB_ANALYTICS_CONFIG),
}


@pytest.mark.parametrize(
    "operation", [pytest.param(operation, marks=pytest.mark.rule(rule)) for operation, rule in _RULES.items()]
)
def test_a_viewer_reads_what_the_owner_reads(
    api: Api, sign_in: SignIn, valid_requests: ValidRequests, operation: str
) -> None:
    """All documented fields are the same; values that change between two reads make the test pass or not run."""
    arguments = valid_requests(operation)
    response = sign_in("viewer")(operation, **arguments)
    if response.is_client_error:
        raise MissingError(f"the viewer may not read this: {response.status_code}")

    own, seen = (_documented(operation, answer) for answer in (require_success(api(operation, **arguments)), response))
    assert seen == own


def _documented(operation: str, response: httpx.Response) -> list[str]:
    """Return the documented fields of the agents, the posts, the media or the configuration in a response, in any order."""
    member, fields = _FIELDS[operation]
    body = response.json()
    found = body.get("data", body)[member]
    items = found if isinstance(found, list) else [found or {}]
    return sorted(str([item.get(name) for name in fields]) for item in items)
