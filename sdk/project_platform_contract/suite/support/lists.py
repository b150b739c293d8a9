"""What the operations return that list or show things of a project."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

import httpx

from project_platform_contract.schema import fields_of

Json = dict[str, Any]

LISTS: Final[Mapping[str, tuple[str, Sequence[str]]]] = {
    "agents_list": ("agents", fields_of("Agent")),
    "posts_list": ("posts", fields_of("ScheduledPost")),
    "photo_analytics_list_media": ("media", fields_of("MediaAnalytics")),
    "web_analytics_get_config": ("config", fields_of("WebAnalyticsConfig")),
    "calendar_busy": ("busy", fields_of("BusyInterval")),
}
"""By operation: the member of its response that has the things, and their documented fields."""

_CHANGED: Final = "updatedAt"
LASTING: Final[Mapping[str, Sequence[str]]] = {
    **{operation: [name for name in fields if name != _CHANGED] for operation, (_, fields) in LISTS.items()},
    "posts_list": (
        "id",
        "projectId",
        "socialAccountId",
        "platform",
        "mediaType",
        "caption",
        "scheduledFor",
        "createdAt",
    ),
    "photo_analytics_list_media": ("mediaId", "mediaType", "caption", "permalink", "timestamp"),
}
"""By operation: the fields that no other request changes, and other people hardly ever do."""


def items_of(operation: str, response: httpx.Response) -> list[Json]:
    """Return the things in a response; a missing configuration is an empty one."""
    body = response.json()
    found = body.get("data", body)[LISTS[operation][0]]
    return found if isinstance(found, list) else [found or {}]


def some_fields(item: Json, names: Sequence[str]) -> Json:
    """Return some fields of a thing; a missing one is null."""
    return {name: item.get(name) for name in names}


def id_of(item: Json) -> Any:
    """Return the identifier of a thing; media have another one."""
    return item.get("id", item.get("mediaId"))
