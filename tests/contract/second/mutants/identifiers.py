"""Identifiers, addresses and parameters that are decoded, folded or compared in another way than they were given."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any
from urllib.parse import unquote

from ..mutant import Json, Kind, alter_replies, patch, wrap
from ..service import app, listings, settings, social
from ..service.app import Call, Refusal, Reply, Request, error

identifier = Kind("identifier of a request")

HOLDS = "It resolves the caller identity and returns whether it holds the given project-scoped permission."
LIKE = "Like a published page post as the page."
SLUG = "Only provided fields are updated; the entry is addressed by slug."
MOVED = "Moves start/end and/or changes title/description."


@identifier("auth_check_permission", HOLDS)
def encoded_colons_of_a_permission_are_not_decoded() -> None:
    def undecoded(operation: str | None, request: Request, reply: Reply) -> Reply:
        if operation == "auth_check_permission" and reply.status == 200 and "%3A" in request.target.upper():
            return error(Refusal(400, "scope is not a permission.", "unknown_permission"))
        return reply

    alter_replies(undecoded)


@identifier("engagement_like", LIKE)
def identifiers_of_posts_are_put_in_lower_case() -> None:
    published_post = social.published_post

    def folded(call: Call) -> Json:
        return published_post(replace(call, path={**call.path, "postId": call.path["postId"].lower()}))

    patch(social, "published_post", folded)


@identifier("memory_update", SLUG)
def slugs_are_compared_without_case() -> None:
    def find_entry(call: Call) -> Json:
        for (project, slug), entry in call.world.memory.items():
            if project == call.project and slug.casefold() == call.path["slug"].casefold():
                return entry
        raise Refusal(404, "There is no such entry.")

    patch(settings, "find_entry", find_entry)


@identifier("memory_update", SLUG)
def slugs_are_decoded_by_the_proxy_and_by_the_service() -> None:
    find_entry = settings.find_entry

    def decoded_again(call: Call) -> Json:
        return find_entry(replace(call, path={**call.path, "slug": unquote(call.path["slug"])}))

    patch(settings, "find_entry", decoded_again)


@identifier("calendar_reschedule", MOVED)
def encoded_characters_of_the_identifier_of_an_event_are_not_decoded() -> None:
    find = app.find

    def undecoded(method: str, path: str) -> tuple[str, dict[str, str]]:
        name, parameters = find(method, path)
        if name == "calendar_reschedule":
            parameters["eventId"] = path.rpartition("/")[2]
        return name, parameters

    patch(app, "find", undecoded)


@identifier("agents_list", "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).")
def an_offset_is_the_page_in_which_it_lies() -> None:
    def whole_pages(perform: Any, call: Call) -> Any:
        value = perform(call)
        limit, offset = value["pagination"]["limit"], value["pagination"]["offset"]
        first = offset - offset % limit
        return {**value, "agents": deepcopy(listings.agents_of(call)[first : first + limit])}

    wrap("agents_list", whole_pages)


@identifier("agents_list", "`limit` integer, `offset` integer, `hasMore` boolean.")
def whether_agents_follow_is_computed_with_the_default_limit() -> None:
    patch(listings, "has_more", lambda total, limit, offset: offset + listings.DEFAULT_LIMIT < total)
