"""Endpoints 12 to 15: what a project has is the same for every caller who may read it."""

from __future__ import annotations

from typing import Any

import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, SignIn

from .support.preconditions import require_success
from .support.valid_requests import ValidRequests

_RULES = {
    "agents_list": "agents.list.all",
    "posts_list": "posts.list.every-caller",
    "photo_analytics_list_media": "photo-analytics.media.every-caller",
    "web_analytics_get_config": "web-analytics.config.every-caller",
}


@pytest.mark.parametrize(
    "operation", [pytest.param(operation, marks=pytest.mark.rule(rule)) for operation, rule in _RULES.items()]
)
def test_a_viewer_reads_what_the_owner_reads(
    api: Api, sign_in: SignIn, valid_requests: ValidRequests, operation: str
) -> None:
    """Compared by identifiers, because values may change between two reads."""
    arguments = valid_requests(operation)
    response = sign_in("viewer")(operation, **arguments)
    if response.is_client_error:
        raise MissingError(f"the viewer may not read this: {response.status_code}")

    assert _identifiers(response.json()) == _identifiers(require_success(api(operation, **arguments)).json())


def _identifiers(body: dict[str, Any]) -> list[str]:
    """Return the identifiers of the agents, the posts, the media or the configuration in a response."""
    if "config" in body:
        return [str((body["config"] or {}).get("id"))]
    data = body.get("data", body)
    items = data.get("posts", data.get("media", data.get("agents")))
    return sorted(str(item.get("id", item.get("mediaId"))) for item in items)
