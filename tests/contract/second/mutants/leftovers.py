"""State that remains of a request, a cache or a principal, and changes the answer to another request."""

from __future__ import annotations

import time
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, Perform, around, instead, patch, replies, wrap
from ..service import calendar, permissions, tokens
from ..service.app import Call, Refusal, Reply, Request, json_reply
from ..service.world import World

leftover = Kind("state that remains")

HOLDS = "It resolves the caller identity and returns whether it holds the given project-scoped permission."
VERIFIED = "Its verification uses a published key set, and it must include a valid user identifier."
ALL_POSTS = "Returns all scheduled posts of the project, with optional filters."
FIGURES = "Returns per-post engagement, reach and interaction figures."
LIKE = "Like a published page post as the page."
CONFIGURED = "Response: `{config: Web analytics configuration}`; the configuration is null when not configured."
REPLACED = "The entire section list of the project is replaced."
HIDING = "Hiding an entry never denies authority: a user with read access to the underlying resource can still reach it by URL."
BUSY = "Response: `{busy: array of {start, end}}`."
MOVED = "Moves start/end and/or changes title/description."
FEATURES = {"crm": ("crm_types", "crm_objects"), "agents": ("agents",), "calendar": ("calendar",)}


@leftover("auth_check_permission", HOLDS)
@around("auth_check_permission", set())
def an_unknown_action_is_cached_as_a_denial_of_its_resource(
    denied: set[tuple[str, str]], perform: Perform, call: Call
) -> Any:
    resource, _, action = call.query.get("scope", "").partition(":")
    if (call.user, resource) in denied and action in permissions.ACTIONS:
        return {"allowed": False}
    try:
        return perform(call)
    except Refusal:
        denied.add((call.user, resource))
        raise


@leftover("auth_check_permission", VERIFIED)
@instead(tokens, "verified", [])
def the_key_set_is_empty_for_one_request_after_an_unknown_key(
    emptied: list[bool], verify: Any, world: World, token: str
) -> Json | None:
    try:
        known = tokens.decoded(token.partition(".")[0])["kid"] in world.keys
    except (ValueError, KeyError, TypeError):
        known = True
    if not known:
        emptied.append(True)
        return verify(world, token)
    if emptied:
        emptied.clear()
        return None
    return verify(world, token)


@leftover("workflows_create", HOLDS)
@replies([])
def a_refusal_remains_in_the_context_of_the_next_check(
    refused: list[bool], operation: str | None, request: Request, reply: Reply
) -> Reply:
    if operation == "auth_check_permission" and reply.status == 200 and refused:
        refused.clear()
        return json_reply(200, {"allowed": False})
    if reply.status == 403:
        refused.append(True)
    return reply


@leftover("posts_list", ALL_POSTS)
@around("posts_list", set())
def a_caller_who_has_the_posts_gets_those_that_changed_since(
    read: set[tuple[str, str, str]], perform: Perform, call: Call
) -> Any:
    value = perform(call)
    key = call.user, call.project, str(call.query)
    if key in read:
        value["data"]["posts"] = []
    read.add(key)
    return value


@leftover("photo_analytics_list_media", FIGURES)
@around("photo_analytics_list_media", set())
def media_are_read_in_the_background_of_the_first_request(read: set[str], perform: Perform, call: Call) -> Any:
    value = perform(call)
    account = call.path["accountId"].lower()
    if account not in read:
        read.add(account)
        value["data"]["media"] = []
    return value


@leftover("engagement_like", LIKE)
@around("engagement_like", set())
def a_page_that_has_liked_a_post_is_told_so_for_every_post(liking: set[str], perform: Perform, call: Call) -> Any:
    account = str((call.body or {}).get("accountId")).lower()
    if account in liking:
        return {"success": True}
    value = perform(call)
    liking.add(account)
    return value


@leftover("web_analytics_get_config", CONFIGURED)
@replies(set())
def a_configuration_that_was_read_is_not_modified(
    read: set[tuple[str, str | None]], operation: str | None, request: Request, reply: Reply
) -> Reply:
    if operation != "web_analytics_get_config" or reply.status != 200:
        return reply
    key = request.target, request.headers.get("authorization")
    if key in read:
        return Reply(304, b"", {})
    read.add(key)
    return reply


@leftover("sidebar_replace", REPLACED)
@around("sidebar_replace", {})
def replacements_within_a_second_are_one(replaced: dict[str, float], perform: Perform, call: Call) -> Any:
    before = deepcopy(call.world.sidebars.get(call.project, []))
    value = perform(call)
    if time.monotonic() - replaced.get(call.project, -1.0) < 1:
        call.world.sidebars[call.project] = before
        return {"success": True, "data": {"sections": deepcopy(before)}}
    replaced[call.project] = time.monotonic()
    return value


def features(sections: list[Json]) -> set[str]:
    """Return the features to which the items of a sidebar lead."""
    return {
        feature
        for section in sections
        for item in section["items"]
        for feature in FEATURES
        if feature in {item.get("id"), item.get("featureId"), str(item.get("href")).strip("/")}
    }


@leftover("sidebar_replace", HIDING)
def permissions_of_an_entry_that_was_removed_are_not_held() -> None:
    hidden: set[str] = set()

    def hiding(perform: Any, call: Call) -> Any:
        before = features(call.world.sidebars.get(call.project, []))
        value = perform(call)
        after = features(call.world.sidebars[call.project])
        hidden.difference_update(after)
        hidden.update(before - after)
        return value

    def checking(perform: Any, call: Call) -> Any:
        value = perform(call)
        resource = call.query["scope"].partition(":")[0]
        return {"allowed": value["allowed"] and not any(resource in FEATURES[feature] for feature in hidden)}

    wrap("sidebar_replace", hiding)
    wrap("auth_check_permission", checking)


@leftover("calendar_busy", BUSY)
def a_booking_in_a_named_calendar_leaves_the_cached_intervals_of_the_default() -> None:
    cached: dict[tuple[str, str | None, str], Any] = {}

    def listed(perform: Any, call: Call) -> Any:
        key = call.project, call.query.get("calendarId"), f"{call.query.get('timeMin')} {call.query.get('timeMax')}"
        if key not in cached:
            cached[key] = perform(call)
        return deepcopy(cached[key])

    def written(perform: Any, call: Call) -> Any:
        value = perform(call)
        for key in [key for key in cached if key[:2] == (call.project, call.body.get("calendarId"))]:
            del cached[key]
        return value

    wrap("calendar_busy", listed)
    wrap("calendar_book", written)
    wrap("calendar_reschedule", written)


@leftover("calendar_reschedule", MOVED)
def busy_intervals_are_indexed_again_if_the_start_changes() -> None:
    write = calendar.write
    index: dict[str, Json] = {}

    def indexed(call: Call, event: Json) -> None:
        known = index.get(event["uid"])
        if known is None or known["begin"] != event["begin"]:
            index[event["uid"]] = event
        write(call, event)

    def listed(perform: Any, call: Call) -> Any:
        events = {key: index.get(key[1], event) for key, event in call.world.events.items()}
        return perform(replace(call, world=replace(call.world, events=events)))

    patch(calendar, "write", indexed)
    wrap("calendar_busy", listed)
