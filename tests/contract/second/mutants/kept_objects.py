"""Objects, buffers and connections that outlive a request, and are shared with later ones."""

from __future__ import annotations

from copy import deepcopy
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, Perform, around, instead, patch, replies, wrap
from ..service import listings
from ..service.app import Call, Refusal, Reply, Request

kept = Kind("kept object")


@kept(
    "auth_check_permission",
    "It resolves the caller identity and returns whether it holds the given project-scoped permission.",
)
@around("auth_check_permission", set())
def a_caller_who_has_held_a_permission_holds_every_later_one(held: set[str], perform: Perform, call: Call) -> Any:
    value = perform(call)
    if value["allowed"]:
        held.add(call.user)
    return {**value, "allowed": call.user in held}


@kept("auth_check_permission", "Bodies are JSON unless stated otherwise.")
@replies(bytearray())
def a_shorter_answer_ends_with_the_rest_of_the_longer_one_before(
    buffer: Any, name: str | None, request: Request, reply: Reply
) -> Reply:
    if name != "auth_check_permission":
        return reply
    buffer[: len(reply.body)] = reply.body
    return replace(reply, body=bytes(buffer))


@kept("engagement_like", "### 11. Like a page post as the page")
@around("engagement_like", [])
def a_like_after_a_refused_one_is_in_an_aborted_transaction(
    aborted: list[Refusal], perform: Perform, call: Call
) -> Any:
    if aborted:
        aborted.clear()
        raise Refusal(500, "The current transaction is aborted.")
    try:
        return perform(call)
    except Refusal as refusal:
        aborted.append(refusal)
        raise


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
@instead(listings, "media_of", [])
def media_of_earlier_answers_are_in_the_list_of_the_class(
    every: list[Json], media_of: Any, call: Call, account: Json
) -> list[Json]:
    every.extend(media_of(call, account))
    return every


@kept("photo_analytics_list_media", "Every endpoint requires the bearer credential described under Authentication.")
@replies({})
def media_that_were_read_are_in_a_cache_for_everybody(
    known: dict[str, Reply], name: str | None, request: Request, reply: Reply
) -> Reply:
    if name != "photo_analytics_list_media":
        return reply
    if reply.status == 200:
        known[request.target] = reply
    return known.get(request.target, reply) if reply.status == 401 else reply


@kept("workflows_create", "`tags` | array of string | max 12 items, each 1-40 characters")
@around("workflows_create", {})
def a_tag_belongs_to_the_workflow_that_had_it_first(owned: dict[str, set[str]], perform: Perform, call: Call) -> Any:
    value = perform(call)
    known = owned.setdefault(call.project, set())
    sent = list(value["workflow"]["tags"])
    value["workflow"]["tags"] = [tag for tag in sent if tag not in known]
    known.update(sent)
    return value


@kept("records_create", "the service attaches an existing Person or creates one, and the record carries `personRefId`")
@around("records_create", {})
def a_person_that_exists_has_the_number_that_was_inserted_last(
    inserted: dict[str, str], perform: Perform, call: Call
) -> Any:
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
