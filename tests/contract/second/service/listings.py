"""Endpoints 12 to 15: lists and the analytics configuration."""

from __future__ import annotations

from copy import deepcopy

from .app import Call, Refusal, operation
from .world import Json

DEFAULT_LIMIT = 7


@operation("agents_list", "GET /projects/{projectId}/agents", needs="agents:read", bad_request=400)
def agents(call: Call) -> Json:
    """List agents, in the order of their names."""
    limit, offset = number(call, "limit", DEFAULT_LIMIT, 1, 100), number(call, "offset", 0, 0, None)
    every = agents_of(call)
    page = every[offset : offset + limit]
    return {
        "agents": deepcopy(page),
        "pagination": {
            "limit": limit,
            "offset": offset,
            "hasMore": has_more(len(every), limit, offset),
            "total": len(every),
        },
    }


@operation("web_analytics_get_config", "GET /web-analytics/config/{projectId}", needs="web_analytics:read")
def analytics(call: Call) -> Json:
    return {"config": deepcopy(call.world.analytics.get(call.project))}


@operation("posts_list", "GET /socials/posts/{projectId}", needs="social:read")
def posts(call: Call) -> Json:
    """List posts; the filters are `state` and `network`, and other parameters are ignored."""
    every = posts_of(call)
    for name, field in (("state", "status"), ("network", "platform")):
        if name in call.query:
            every = [post for post in every if post[field] == call.query[name]]
    return {"success": True, "data": {"posts": deepcopy(every), "count": len(every)}}


@operation(
    "photo_analytics_list_media", "GET /socials/analytics/photonet/{projectId}/{accountId}/media", needs="social:read"
)
def media(call: Call) -> Json:
    account = call.find("accounts", call.path["accountId"].lower(), "account", platform="photonet")
    return {"success": True, "data": {"media": deepcopy(media_of(call, account))}}


def agents_of(call: Call) -> list[Json]:
    return sorted(call.world.agents[call.project], key=lambda agent: agent["name"])


def has_more(total: int, limit: int, offset: int) -> bool:
    return offset + limit < total


def posts_of(call: Call) -> list[Json]:
    return [post for (project, _), post in call.world.posts.items() if project == call.project]


def media_of(call: Call, account: Json) -> list[Json]:
    items: list[Json] = call.world.media[account["id"]]
    return items


def number(call: Call, name: str, default: int, least: int, most: int | None) -> int:
    text = call.query.get(name)
    if text is None:
        return default
    if not text.removeprefix("-").isdecimal() or not text.isascii():
        raise Refusal(400, f"{name} is not an integer.", "invalid")
    value = int(text)
    if value < least or (most is not None and value > most):
        raise Refusal(400, f"{name} is out of range.", "invalid")
    return value
