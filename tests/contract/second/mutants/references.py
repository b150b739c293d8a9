"""Posts and media that are cut short, or refer to other resources than theirs."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_value, wrap
from ..service import world

lists = Kind("lists")


references = Kind("references between resources")


ALL_POSTS = "Returns all scheduled posts of the project, with optional filters."


ACCOUNT = "The `id` of an account is the `socialAccountId` that posting, scheduling and analytics calls take."


MEDIA = "Returns per-post engagement, reach and interaction figures."


def posts(
    name: str, change: Callable[[list[Json]], list[Json]], sentence: str = ALL_POSTS, *, kind: Kind = lists
) -> None:
    """Register a mutant that changes the list of posts."""
    kind.add(
        name,
        "posts_list",
        sentence,
        lambda: alter_value("posts_list", lambda value: value["data"].update(posts=change(value["data"]["posts"]))),
    )


def with_members(change: Callable[[Json], Json]) -> Callable[[list[Json]], list[Json]]:
    """Return a function that changes members of all posts."""
    return lambda items: [{**item, **change(item)} for item in items]


posts("only the first two posts are listed", lambda items: items[:2])


posts("failed posts are not listed", lambda items: [item for item in items if item["status"] != "failed"])


posts("posts of the page are not listed", lambda items: [item for item in items if item["platform"] != "pagenet"])


posts("published posts are not listed", lambda items: [item for item in items if item["publishedAt"] is None])


posts("a post is listed once for each medium", lambda items: [item for item in items for _ in item["media"] or [None]])


posts(
    "the account of a post is another one",
    with_members(lambda item: {"socialAccountId": str(uuid4())}),
    ACCOUNT,
    kind=references,
)


posts(
    "the account of a post is the post itself",
    with_members(lambda item: {"socialAccountId": item["id"]}),
    ACCOUNT,
    kind=references,
)


posts(
    "the accounts of posts are swapped",
    with_members(lambda item: {"socialAccountId": world.PAGE if item["platform"] != "pagenet" else world.PHOTO}),
    ACCOUNT,
    kind=references,
)


posts(
    "the account of a post is the project",
    with_members(lambda item: {"socialAccountId": item["projectId"]}),
    ACCOUNT,
    kind=references,
)


posts(
    "posts have short identifiers", with_members(lambda item: {"id": item["id"][:8]}), "| id | uuid |", kind=references
)


def media(name: str, change: Callable[[list[Json]], list[Json]]) -> None:
    """Register a mutant that changes the list of media."""
    lists.add(
        name,
        "photo_analytics_list_media",
        MEDIA,
        lambda: alter_value(
            "photo_analytics_list_media", lambda value: value["data"].update(media=change(value["data"]["media"]))
        ),
    )


media(
    "media have no figures",
    lambda items: [{name: value for name, value in item.items() if not isinstance(value, int)} for item in items],
)


media(
    "figures of media are fractions", lambda items: [{**item, "engagement": 0.5 + item["engagement"]} for item in items]
)


media("all media are the same one", lambda items: [items[0] for _ in items])


media("no media are listed", lambda items: [])


@lists("photo_analytics_list_media", ACCOUNT)
def a_page_has_the_media_of_the_photo_account() -> None:
    def any_account(perform: Any, call: Any) -> Any:
        if call.path["accountId"].lower() == world.PAGE:
            call.path["accountId"] = world.PHOTO
        return perform(call)

    wrap("photo_analytics_list_media", any_account)


@lists(
    "web_analytics_get_config",
    "Response: `{config: Web analytics configuration}`; the configuration is null when not configured.",
)
def the_configuration_of_a_project_is_in_a_list() -> None:
    alter_value(
        "web_analytics_get_config", lambda value: value.update(config=[value["config"]] if value["config"] else [])
    )
