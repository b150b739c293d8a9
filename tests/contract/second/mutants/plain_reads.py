"""Services that answer other busy intervals, permissions, lists and configurations than there are."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from datetime import timedelta
from typing import Any

from ..mutant import Json, Kind, alter_query, alter_replies, alter_value, patch, wrap
from ..service import calendar, listings
from ..service.app import Call, Reply, Request, json_reply
from ..service.workflows import is_real

reads = Kind("everyday reads")

BUSY = "Response: `{busy: array of {start, end}}`."
RANGE = "`timeMin`: ISO timestamp, inclusive start of the range; `timeMax`: ISO timestamp, exclusive end of the range."
HOLDS = "returns whether it holds the given project-scoped permission"
EVERY = "Lists all agent definitions of the project."
OFFSET = "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0)."
CONFIG = "Response: `{config: Web analytics configuration}`; the configuration is null when not configured."
OFFSET_OF_A_TIME = re.compile(r"(?:[Zz]|[+-]\d\d(?::?\d\d)?)$")


@reads("calendar_busy", RANGE)
def a_busy_range_ends_after_a_month() -> None:
    def cut(query: Json) -> None:
        least, most = (calendar.instant(query[name], "UTC") for name in ("timeMin", "timeMax"))
        if most - least > timedelta(days=31):
            query["timeMax"] = (least + timedelta(days=31)).isoformat()

    alter_query("calendar_busy", cut)


@reads("calendar_busy", RANGE)
def the_end_of_a_busy_range_has_the_offset_of_its_start() -> None:
    def same_offset(query: Json) -> None:
        if found := OFFSET_OF_A_TIME.search(query["timeMin"]):
            query["timeMax"] = OFFSET_OF_A_TIME.sub(found[0], query["timeMax"])

    alter_query("calendar_busy", same_offset)


@reads("calendar_busy", RANGE)
def the_minutes_of_a_negative_offset_count_the_other_way() -> None:
    def misread(found: re.Match[str]) -> str:
        total = 60 * int(found[1]) - int(found[2])
        return f"{'-' if total >= 0 else '+'}{abs(total) // 60:02}:{abs(total) % 60:02}"

    alter_query(
        "calendar_busy",
        lambda query: query.update(
            {name: re.sub(r"-(\d\d):?(\d\d)$", misread, query[name]) for name in ("timeMin", "timeMax")}
        ),
    )


def hide_events(hidden: Callable[[Call, Json], bool]) -> None:
    """Leave events out of the busy intervals; they still conflict with bookings."""
    events_of = calendar.events_of

    def visible(call: Call, name: str) -> list[Json]:
        listing = call.operation == "calendar_busy"
        return [event for event in events_of(call, name) if not (listing and hidden(call, event))]

    patch(calendar, "events_of", visible)


@reads("calendar_busy", BUSY)
def a_booking_with_an_attendee_is_tentative_and_not_busy() -> None:
    hide_events(lambda call, event: event["attendee"] is not None)


@reads("calendar_busy", "`calendarId`: string; defaults to the connected primary calendar.")
def a_calendar_that_is_named_has_only_the_events_booked_here() -> None:
    hide_events(lambda call, event: "calendarId" in call.query and not event["uid"].endswith("@second"))


def permission(name: str, allowed: Callable[[Call, str, bool], bool]) -> None:
    """Register a mutant that answers the check of a permission otherwise, given the call, the permission and the answer."""

    def checked(perform: Any, call: Call) -> Any:
        answer = perform(call)
        return {"allowed": allowed(call, call.query["scope"], answer["allowed"])}

    reads.add(name, "auth_check_permission", HOLDS, lambda: wrap("auth_check_permission", checked))


remembered: dict[tuple[str, str], bool] = {}
permission(
    "the answer for one action of a resource is kept for the others",
    lambda call, name, answer: remembered.setdefault((call.user, name.partition(":")[0]), answer),
)
permission(
    "permissions of more than twenty characters are nobodys",
    lambda call, name, answer: answer and len(name) <= 20,
)
permission("a service account holds no permission", lambda call, name, answer: answer and is_real(call))


@reads("agents_list", OFFSET)
def an_offset_beyond_the_end_of_agents_shows_the_last_page() -> None:
    def clamped(perform: Any, call: Call) -> Any:
        answer = perform(call)
        if not answer["agents"]:
            answer["agents"] = listings.agents_of(call)[-answer["pagination"]["limit"] :]
        return answer

    wrap("agents_list", clamped)


@reads("agents_list", EVERY)
def built_in_agents_lead_each_page_in_place_of_others() -> None:
    def led(perform: Any, call: Call) -> Any:
        answer = perform(call)
        built_in = [agent for agent in listings.agents_of(call) if agent["builtIn"]]
        others = [agent for agent in answer["agents"] if not agent["builtIn"]]
        answer["agents"] = [*built_in, *others][: answer["pagination"]["limit"]]
        return answer

    wrap("agents_list", led)


@reads("agents_list", OFFSET)
def an_offset_of_agents_needs_a_limit() -> None:
    alter_query("agents_list", lambda query: None if "limit" in query else query.pop("offset"))


@reads("agents_list", "Error body (JSON): `message` (string, always present) and `code` (string, optional)")
def the_code_of_a_refused_page_is_its_status() -> None:
    def numbered(operation: str | None, request: Request, reply: Reply) -> Reply:
        if operation != "agents_list" or reply.status != 400:
            return reply
        return json_reply(reply.status, {**json.loads(reply.body), "code": reply.status})

    alter_replies(numbered)


@reads("web_analytics_get_config", CONFIG)
def a_configuration_is_inherited_from_another_project_of_the_caller() -> None:
    def inherited(perform: Any, call: Call) -> Any:
        own = perform(call)["config"]
        others = (config for id, config in call.world.analytics.items() if (id, call.user) in call.world.members)
        return {"config": own or next(others, None)}

    wrap("web_analytics_get_config", inherited)


@reads("web_analytics_get_config", "Every endpoint requires the bearer credential described under Authentication.")
def a_configuration_is_answered_from_a_public_cache() -> None:
    kept: dict[str, Reply] = {}

    def cached(operation: str | None, request: Request, reply: Reply) -> Reply:
        if operation == "web_analytics_get_config" and reply.status == 200:
            kept[request.target] = reply
        return kept.get(request.target, reply)

    alter_replies(cached)


@reads("posts_list", "Publishing a post whose status is `failed` retries it.")
def a_failed_post_is_listed_as_queued_for_its_retry() -> None:
    alter_value(
        "posts_list",
        lambda value: [post.update(status="queued") for post in value["data"]["posts"] if post["status"] == "failed"],
    )


@reads("posts_list", "Response: `{success: boolean, data: {posts: [Scheduled post]}}`.")
def the_posts_of_a_project_without_posts_are_null() -> None:
    alter_value("posts_list", lambda value: value["data"].update(posts=value["data"]["posts"] or None))


@reads("photo_analytics_list_media", "`engagement` (integers)")
def engagement_is_a_share_of_reach() -> None:
    alter_value(
        "photo_analytics_list_media",
        lambda value: [
            medium.update(engagement=round(medium["engagement"] / medium["reach"], 4))
            for medium in value["data"]["media"]
            if medium["reach"]
        ],
    )
