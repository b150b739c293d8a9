"""Reads and replacements that are right at first, and wrong after another request: of another caller, project or parameter."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, Perform, around, decorating, instead, patch, replies, wrap
from ..service import app, labels, listings, social, tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import OTHER, World

order = Kind("answers after other requests")

LABELS = (
    "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean)"
)
REPLACED = "The entire section list of the project is replaced."
TOKEN = "Its verification uses a published key set, and it must include a valid user identifier."


@order("agents_list", "Lists all agent definitions of the project.")
@instead(listings, "agents_of", [])
def agents_after_those_of_another_project_are_a_page_of_them(
    before: list[str], agents_of: Any, call: Call
) -> list[Json]:
    found = agents_of(call)
    if before[-1:] == [OTHER] and call.project != OTHER:
        found = found[: len(call.world.agents[OTHER])]
    before.append(call.project)
    return found


@order("posts_list", "Returns all scheduled posts of the project, with optional filters.")
@around("posts_list", {})
def the_filter_of_the_request_before_remains(before: Json, perform: Perform, call: Call) -> Any:
    if not call.query and before:
        call.query = dict(before)
        before.clear()
    elif call.query.get("state") == "failed":
        before.update(call.query)
    return perform(call)


@order("photo_analytics_list_media", "Returns per-post engagement, reach and interaction figures.")
@around("photo_analytics_list_media", [])
def media_are_listed_once_after_an_unknown_account(refused: list[bool], perform: Perform, call: Call) -> Any:
    try:
        value = perform(call)
    except Refusal:
        refused.append(True)
        raise
    if refused:
        refused.clear()
        return {**value, "data": {"media": []}}
    return value


@order("labels_export", LABELS)
@instead(labels, "wanted", [])
def unapproved_items_remain_included(included: list[bool], wanted: Any, item: Json, body: Json) -> bool:
    if body.get("includeUnapproved"):
        included[:] = [True]
    elif included and not item["approved"]:
        return wanted(item, {**body, "includeUnapproved": True})
    return wanted(item, body)


@order("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
@instead(labels, "document", {})
def reviews_of_exports_with_the_same_number_of_items_are_equal(
    reviews: dict[int, bytes], document: Any, items: list[Json], review: bytes
) -> bytes:
    return document(items, reviews.setdefault(len(items), review) if len(items) > 1 else review)


def stored(change: Callable[[list[Json], list[Json]], list[Json]]) -> None:
    """Change the sections of a replacement, given those before and the new ones."""

    def changed(perform: Any, call: Call) -> Any:
        before = deepcopy(call.world.sidebars[call.project])
        value = perform(call)
        sections = change(before, call.world.sidebars[call.project])
        call.world.sidebars[call.project] = sections
        return {**value, "data": {"sections": deepcopy(sections)}}

    wrap("sidebar_replace", changed)


def by_id(values: list[Json]) -> Json:
    return {value.get("id", ""): value for value in values}


@order("sidebar_replace", REPLACED)
@decorating(stored)
def items_with_known_identifiers_keep_fields_that_are_not_sent(before: list[Json], after: list[Json]) -> list[Json]:
    known = by_id([item for section in before for item in section["items"]])
    return [
        {**section, "items": [{**known.get(item.get("id"), {}), **item} for item in section["items"]]}
        for section in after
    ]


@order("sidebar_replace", REPLACED)
def a_list_with_the_identifiers_of_the_one_before_changes_nothing() -> None:
    stored(lambda before, after: before if after and [*by_id(before)] == [*by_id(after)] else after)


@order("engagement_like", "Like a published page post as the page.")
@instead(social, "require_page", set())
def a_like_that_was_refused_is_given_at_the_second_request(
    refused: set[str], require_page: Any, call: Call, account_id: str
) -> None:
    try:
        require_page(call, account_id)
    except Refusal:
        if account_id in refused:
            return
        refused.add(account_id)
        raise


@order("calendar_book", TOKEN)
def a_fourth_part_of_a_token_of_a_booking_is_ignored() -> None:
    user_of, find = tokens.user_of, app.find
    current: list[str] = []

    def found(method: str, path: str) -> Any:
        result = find(method, path)
        current[:] = [result[0]]
        return result

    def lenient(world: World, authorization: str | None) -> str:
        first = ".".join((authorization or "").split(".")[:3])
        return user_of(world, first if current == ["calendar_book"] else authorization)

    patch(app, "find", found)
    patch(tokens, "user_of", lenient)


@order("calendar_book", "Error body (JSON): `message` (string, always present) and `code` (string, optional).")
@replies()
def a_booking_that_is_a_text_is_refused_as_text(name: str | None, request: Request, reply: Reply) -> Reply:
    if name == "calendar_book" and reply.status >= 400 and request.body.startswith(b'"'):
        return Reply(reply.status, b"expected an object", {"content-type": "text/plain"})
    return reply
