"""Agents and the analytics configuration."""

from copy import deepcopy

from ..mutant import Kind, around, instead, replies
from ..service import listings, tokens
from ..service.app import Reply
from ..service.world import OTHER
from .sentences import AGENTS, CONFIGURATION, TOKEN

mutant = Kind("listings")


@mutant.change(AGENTS, "agents_list", at=instead(listings, "agents_of"), memory=[])
def agents_after_those_of_another_project_are_a_page_of_them(before, agents_of, call):
    found = agents_of(call)
    if before[-1:] == [OTHER] and call.project != OTHER:
        found = found[: len(call.world.agents[OTHER])]
    before.append(call.project)
    return found


@mutant(AGENTS, "agents_list")
def what_is_appended_to_a_page_overwrites_the_agent_behind_it():
    arrays = {}
    instead(listings, "agents_of")(lambda agents_of, call: arrays.setdefault(call.project, agents_of(call)))

    @around("agents_list")
    def appended(perform, call):
        value = perform(call)
        every, page = arrays[call.project], value["pagination"]
        end = page["offset"] + page["limit"]
        if end < len(every):
            every[end] = deepcopy(every[0])
        return value


@mutant.change(AGENTS, "agents_list", at=around("templates_apply"))
def built_in_agents_move_into_the_sub_project_when_a_template_is_applied(perform, call):
    value = perform(call)
    agents, new = call.world.agents, value["data"]["project"]["id"]
    agents[new] = [agent for agent in agents[call.project] if agent["builtIn"]]
    agents[call.project] = [agent for agent in agents[call.project] if not agent["builtIn"]]
    return value


@mutant.change(CONFIGURATION, "web_analytics_get_config", at=replies, memory=set())
def a_configuration_that_was_read_is_not_modified(read, operation, request, reply):
    if operation != "web_analytics_get_config" or reply.status != 200:
        return reply
    key = request.target, request.headers.get("authorization")
    if key in read:
        return Reply(304, b"", {})
    read.add(key)
    return reply


@mutant.change(CONFIGURATION, "web_analytics_get_config")
def a_sub_project_shows_the_configuration_of_its_parent(perform, call):
    parent = call.world.projects[call.project].get("parent")
    value = perform(call)
    if value["config"] is None and parent is not None:
        value["config"] = deepcopy(call.world.analytics.get(parent))
    return value


@mutant.change(TOKEN, "web_analytics_get_config", at=instead(tokens, "verified"))
def the_algorithm_none_is_accepted_whatever_its_case(verified, world, token):
    try:
        header, claims = (tokens.decoded(part) for part in token.split(".")[:2])
        none = str(header.get("alg")).lower() == "none"
    except (ValueError, TypeError, AttributeError):
        return verified(world, token)
    return claims if none else verified(world, token)


@mutant.change("Query: `limit` (integer, 1 to 100), `offset` (integer, at least 0).", "agents_list")
def a_page_begins_at_a_multiple_of_the_limit(perform, call):
    value = perform(call)
    limit, offset = (value["pagination"][name] for name in ("limit", "offset"))
    value["agents"] = listings.agents_of(call)[offset - offset % limit :][:limit]
    return value


@mutant.change(CONFIGURATION, "web_analytics_get_config")
def a_configuration_that_is_not_enabled_is_null_for_readers(perform, call):
    value = perform(call)
    hidden = call.world.members[call.project, call.user] == "reader" and not (value["config"] or {}).get("enabled")
    return {"config": None} if hidden else value


@mutant.change(AGENTS, "agents_list", at=instead(listings, "agents_of"))
def agents_of_another_project_follow_behind_the_first_page(agents_of, call):
    found = agents_of(call)
    others = [agent for project, agents in call.world.agents.items() if project != call.project for agent in agents]
    return found + others if len(found) > listings.DEFAULT_LIMIT else found
