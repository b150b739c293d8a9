"""Reads and replacements that are right at first, and wrong after another request: of another caller, project or parameter."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, alter_replies, patch, wrap
from ..service import app, labels, listings, social, tokens
from ..service.app import Call, Refusal, Reply, Request
from ..service.world import OTHER, World

order = Kind("answers after other requests")

PAGE = "Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0)."
LABELS = (
    "Body (required as a whole, JSON): `menuMonth` (string), `itemIds` (array of uuid), `includeUnapproved` (boolean)"
)
REPLACED = "The entire section list of the project is replaced."
TOKEN = "Its verification uses a published key set, and it must include a valid user identifier."


def remembered(operation: str, change: Callable[[Json, Call], None]) -> None:
    """Change a call by what a service remembers of earlier ones."""
    memory: Json = {}

    def changed(perform: Any, call: Call) -> Any:
        change(memory, call)
        return perform(call)

    wrap(operation, changed)


@order("agents_list", PAGE)
def the_offset_of_the_page_before_is_the_default() -> None:
    def default(memory: Json, call: Call) -> None:
        if "limit" in call.query and "offset" not in call.query and memory.get("offset") == "2":
            call.query = {**call.query, "offset": memory["offset"]}
        memory["offset"] = call.query.get("offset")

    remembered("agents_list", default)


@order("agents_list", "Lists all agent definitions of the project.")
def agents_after_those_of_another_project_are_a_page_of_them() -> None:
    agents_of = listings.agents_of
    before: list[str] = []

    def stale(call: Call) -> list[Json]:
        found = agents_of(call)
        if before[-1:] == [OTHER] and call.project != OTHER:
            found = found[: len(call.world.agents[OTHER])]
        before.append(call.project)
        return found

    patch(listings, "agents_of", stale)


@order("posts_list", "Returns all scheduled posts of the project, with optional filters.")
def the_filter_of_the_request_before_remains() -> None:
    def filtered(memory: Json, call: Call) -> None:
        if not call.query and memory.get("query"):
            call.query = memory["query"]
            memory["query"] = {}
        elif call.query.get("state") == "failed":
            memory["query"] = call.query

    remembered("posts_list", filtered)


@order("posts_list", "Returns all scheduled posts of the project.")
def readers_get_the_posts_of_the_last_request() -> None:
    last: list[Any] = []

    def cached(perform: Any, call: Call) -> Any:
        role = call.world.members[call.project, call.user]
        if role == "reader" and last:
            return deepcopy(last[-1])
        last[:] = [perform(call)]
        return deepcopy(last[-1])

    wrap("posts_list", cached)


@order("web_analytics_get_config", "the configuration is null when not configured.")
def the_configuration_is_null_once_after_a_project_without_one() -> None:
    unconfigured: list[bool] = []

    def null(perform: Any, call: Call) -> Any:
        value = perform(call)
        if value["config"] is None:
            unconfigured.append(True)
        elif unconfigured:
            unconfigured.clear()
            return {"config": None}
        return value

    wrap("web_analytics_get_config", null)


@order("photo_analytics_list_media", "Returns per-post engagement, reach and interaction figures.")
def media_are_listed_once_after_an_unknown_account() -> None:
    refused: list[bool] = []

    def empty(perform: Any, call: Call) -> Any:
        try:
            value = perform(call)
        except Refusal:
            refused.append(True)
            raise
        if refused:
            refused.clear()
            return {**value, "data": {"media": []}}
        return value

    wrap("photo_analytics_list_media", empty)


@order("labels_export", LABELS)
def unapproved_items_remain_included() -> None:
    included: list[bool] = []
    wanted = labels.wanted

    def kept(item: Json, body: Json) -> bool:
        if body.get("includeUnapproved"):
            included[:] = [True]
        elif included and not item["approved"]:
            return wanted(item, {**body, "includeUnapproved": True})
        return wanted(item, body)

    patch(labels, "wanted", kept)


@order("labels_export", LABELS)
def the_month_of_the_export_before_remains() -> None:
    def month(memory: Json, call: Call) -> None:
        if not isinstance(call.body, dict) or not labels.month(call.body.get("menuMonth")):
            return
        own = call.body["menuMonth"]
        call.body = {**call.body, "menuMonth": memory.pop("month", own)}
        if own != call.body["menuMonth"] or own > "2033":
            memory["month"] = own

    remembered("labels_export", month)


@order("labels_export", "Landscape Letter pages with four labels per sheet on a 5 x 3.5 inch label stock.")
def an_export_continues_the_sheet_of_the_one_before() -> None:
    document = labels.document
    left: list[Json] = []

    def continued(items: list[Json], review: bytes) -> bytes:
        content = document([*left, *items] if len(items) == 1 else items, review)
        left[:] = items[-1:] if len(items) == 2 else []
        return content

    patch(labels, "document", continued)


@order("labels_export", "The full review is attached inside the PDF as `label-review.json`.")
def reviews_of_exports_with_the_same_number_of_items_are_equal() -> None:
    document = labels.document
    reviews: dict[int, bytes] = {}

    def first(items: list[Json], review: bytes) -> bytes:
        return document(items, reviews.setdefault(len(items), review) if len(items) > 1 else review)

    patch(labels, "document", first)


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
    """Return values by identifier."""
    return {value.get("id", ""): value for value in values}


@order("sidebar_replace", REPLACED)
def items_with_known_identifiers_keep_fields_that_are_not_sent() -> None:
    def kept(before: list[Json], after: list[Json]) -> list[Json]:
        known = by_id([item for section in before for item in section["items"]])
        return [
            {**section, "items": [{**known.get(item.get("id"), {}), **item} for item in section["items"]]}
            for section in after
        ]

    stored(kept)


@order("sidebar_replace", REPLACED)
def an_empty_label_keeps_the_one_before() -> None:
    def kept(before: list[Json], after: list[Json]) -> list[Json]:
        known = by_id(before)
        return [
            {**section, "label": section.get("label") or known.get(section.get("id"), {}).get("label", "")}
            for section in after
        ]

    stored(kept)


@order("sidebar_replace", "An object with `sections`: an ordered array of section {`id`, `label`, `items`}.")
def sections_that_are_kept_come_first() -> None:
    def sorted_by_age(before: list[Json], after: list[Json]) -> list[Json]:
        known = by_id(before)
        return sorted(after, key=lambda section: section.get("id") not in known)

    stored(sorted_by_age)


@order("sidebar_replace", REPLACED)
def a_list_with_the_identifiers_of_the_one_before_changes_nothing() -> None:
    stored(lambda before, after: before if after and [*by_id(before)] == [*by_id(after)] else after)


@order("sidebar_replace", REPLACED)
def a_refused_list_is_a_part_of_the_next() -> None:
    refused: list[Json] = []

    def added(perform: Any, call: Call) -> Any:
        try:
            value = perform(call)
        except Refusal:
            sections = call.body.get("sections")
            refused[:] = [one for one in sections if isinstance(one, dict)] if isinstance(sections, list) else []
            raise
        value["data"]["sections"] += [{**one, "id": str(one.get("id"))} for one in refused[:1]]
        refused.clear()
        return value

    wrap("sidebar_replace", added)


@order("engagement_like", "Like a published page post as the page.")
def a_like_that_was_refused_is_given_at_the_second_request() -> None:
    refused: set[str] = set()
    require_page = social.require_page

    def second(call: Call, account_id: str) -> None:
        try:
            require_page(call, account_id)
        except Refusal:
            if account_id in refused:
                return
            refused.add(account_id)
            raise

    patch(social, "require_page", second)


def lenient(name: str, operation: str, change: Callable[[str], str]) -> None:
    """Register a mutant whose operation verifies another token than the one that was sent."""

    def apply() -> None:
        user_of, find = tokens.user_of, app.find
        current: list[str] = []

        def found(method: str, path: str) -> Any:
            result = find(method, path)
            current[:] = [result[0]]
            return result

        def changed(world: World, authorization: str | None) -> str:
            try:
                return user_of(world, authorization)
            except Refusal:
                if current != [operation] or not authorization:
                    raise
                return user_of(world, f"Bearer {change(authorization.partition(' ')[2])}")

        patch(app, "find", found)
        patch(tokens, "user_of", changed)

    order.add(name, operation, TOKEN, apply)


lenient(
    "a fourth part of a token of a booking is ignored", "calendar_book", lambda token: ".".join(token.split(".")[:3])
)


@order("sidebar_replace", TOKEN)
def signatures_of_other_tokens_are_accepted_for_the_sidebar() -> None:
    verified, find = tokens.verified, app.find
    signatures: dict[str, str] = {}
    current: list[str] = []

    def found(method: str, path: str) -> Any:
        result = find(method, path)
        current[:] = [result[0]]
        return result

    def any_known(world: World, token: str) -> Json | None:
        head, _, signature = token.rpartition(".")
        claims = verified(world, token)
        if claims is not None:
            signatures[signature] = head
        elif current == ["sidebar_replace"] and signature in signatures and head in signatures.values():
            own = next(known for known, of in signatures.items() if of == head)
            return verified(world, f"{head}.{own}")
        return claims

    patch(app, "find", found)
    patch(tokens, "verified", any_known)


@order("calendar_book", "Error body (JSON): `message` (string, always present) and `code` (string, optional).")
def a_booking_that_is_a_text_is_refused_as_text() -> None:
    def plain(name: str | None, request: Request, reply: Reply) -> Reply:
        if name == "calendar_book" and reply.status >= 400 and request.body.startswith(b'"'):
            return Reply(reply.status, b"expected an object", {"content-type": "text/plain"})
        return reply

    alter_replies(plain)
