"""Objects, buffers and connections that outlive a request, and are shared with later ones."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, alter_replies, patch, wrap
from ..service import listings
from ..service.app import Call, Refusal, Reply, Request

kept = Kind("kept object")


@kept(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
def a_caller_who_has_held_a_permission_holds_every_later_one() -> None:
    held: set[str] = set()

    def memoized(perform: Any, call: Call) -> Any:
        value = perform(call)
        if value["allowed"]:
            held.add(call.user)
        return {**value, "allowed": call.user in held}

    wrap("auth_check_permission", memoized)


@kept("auth_check_permission", "Bodies are JSON unless stated otherwise.")
def a_shorter_answer_ends_with_the_rest_of_the_longer_one_before() -> None:
    buffer = bytearray()

    def reused(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "auth_check_permission":
            return reply
        buffer[: len(reply.body)] = reply.body
        return replace(reply, body=bytes(buffer))

    alter_replies(reused)


@kept("engagement_like", "### 11. Like a page post as the page")
def a_like_after_a_refused_one_is_in_an_aborted_transaction() -> None:
    aborted: list[Refusal] = []

    def in_transaction(perform: Any, call: Call) -> Any:
        if aborted:
            aborted.clear()
            raise Refusal(500, "The current transaction is aborted.")
        try:
            return perform(call)
        except Refusal as refusal:
            aborted.append(refusal)
            raise

    wrap("engagement_like", in_transaction)


@kept("agents_list", "Lists all agent definitions of the project.")
def what_is_appended_to_a_page_overwrites_the_agent_behind_it() -> None:
    arrays: dict[str, list[Json]] = {}
    agents_of = listings.agents_of

    def appended(perform: Any, call: Call) -> Any:
        value = perform(call)
        every, page = arrays[call.project], value["pagination"]
        end = page["offset"] + page["limit"]
        if end < len(every):
            every[end] = deepcopy(every[0])
        return value

    patch(listings, "agents_of", lambda call: arrays.setdefault(call.project, agents_of(call)))
    wrap("agents_list", appended)


@kept("photo_analytics_list_media", "Returns per-post engagement, reach and interaction figures.")
def media_of_earlier_answers_are_in_the_list_of_the_class() -> None:
    every: list[Json] = []
    media_of = listings.media_of

    def extended(call: Call, account: Json) -> list[Json]:
        every.extend(media_of(call, account))
        return every

    patch(listings, "media_of", extended)


@kept("photo_analytics_list_media", "Every endpoint requires the bearer credential described under Authentication.")
def media_that_were_read_are_in_a_cache_for_everybody() -> None:
    known: dict[str, Reply] = {}

    def cached(name: str | None, request: Request, reply: Reply) -> Reply:
        if name != "photo_analytics_list_media":
            return reply
        if reply.status == 200:
            known[request.target] = reply
        return known.get(request.target, reply) if reply.status == 401 else reply

    alter_replies(cached)


@kept("workflows_create", "`tags` | array of string | max 12 items, each 1-40 characters")
def a_tag_belongs_to_the_workflow_that_had_it_first() -> None:
    owned: dict[str, set[str]] = {}

    def unique(perform: Any, call: Call) -> Any:
        value = perform(call)
        known = owned.setdefault(call.project, set())
        sent = list(value["workflow"]["tags"])
        value["workflow"]["tags"] = [tag for tag in sent if tag not in known]
        known.update(sent)
        return value

    wrap("workflows_create", unique)


@kept("records_create", "the service attaches an existing Person or creates one, and the record carries `personRefId`")
def a_person_that_exists_has_the_number_that_was_inserted_last() -> None:
    inserted: dict[str, str] = {}

    def numbered(perform: Any, call: Call) -> Any:
        before = set(call.world.persons.values())
        value = perform(call)
        person = value["record"].get("personRefId")
        if person is None:
            return value
        if person not in before:
            inserted["last"] = person
        stored = call.world.records[call.project, value["record"]["id"]]
        stored["personRefId"] = value["record"]["personRefId"] = inserted.get("last", person)
        return value

    wrap("records_create", numbered)
