"""Endpoints 12 to 15: what a project has is the same for every caller who may read it."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import pairwise
from typing import Any, Final

import httpx
import pytest

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api, SignIn
from project_platform_contract.run.contract_run import Run

from .support.json_equality import differences
from .support.preconditions import require_success
from .support.resources import AGENT, MEDIA_ANALYTICS, SCHEDULED_POST, WEB_ANALYTICS_CONFIG
from .support.valid_requests import Arguments, ValidRequests

Item = dict[str, Any]

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
_READS: Final = 3  # Number of reads of the owner that show which fields change without a request.


@pytest.mark.parametrize(
    "operation", [pytest.param(operation, marks=pytest.mark.rule(rule)) for operation, rule in _RULES.items()]
)
def test_a_viewer_reads_what_the_owner_reads(
    api: Api, sign_in: SignIn, contract_run: Run, valid_requests: ValidRequests, operation: str
) -> None:
    """All documented fields are the same, without those that change from one read of the owner to the next, such as figures."""
    arguments = valid_requests(operation)
    response = sign_in("viewer")(operation, **arguments)
    if response.is_client_error:
        raise MissingError(f"the viewer may not read this: {response.status_code}")

    own, seen = (_documented(operation, answer) for answer in (require_success(api(operation, **arguments)), response))
    fields = set(_FIELDS[operation][1])
    if seen != own:
        fields -= _changing(_reads(api, contract_run, operation, arguments))
    assert _only(fields, seen) == _only(fields, own)


def _reads(api: Api, run: Run, operation: str, arguments: Arguments) -> Iterator[list[Item]]:
    """Yield what the same read shows several times."""
    for _ in range(_READS):
        run.forget_reads()
        yield _documented(operation, require_success(api(operation, **arguments)))


def _changing(reads: Iterable[list[Item]]) -> set[str]:
    """Return the names of the fields that two reads in a row show with other values of the same item."""
    return {
        name
        for before, after in pairwise(reads)
        for one in before
        for other in after
        if _key(one) == _key(other)
        for name, value in one.items()
        if differences(value, other[name])
    }


def _only(fields: Collection[str], items: Iterable[Item]) -> list[str]:
    return [str({name: value for name, value in item.items() if name in fields}) for item in items]


def _documented(operation: str, response: httpx.Response) -> list[Item]:
    """Return the documented fields of the agents, the posts, the media or the configuration in a response, in a fixed order."""
    member, fields = _FIELDS[operation]
    body = response.json()
    found = body.get("data", body)[member]
    items = found if isinstance(found, list) else [found or {}]
    return sorted(
        ({name: item.get(name) for name in fields} for item in items), key=lambda item: (_key(item), str(item))
    )


def _key(item: Item) -> str:
    """Return the identifier of an agent, a post, a medium or a configuration."""
    return str(item.get("id") or item.get("mediaId"))
