"""Things of one project that are reachable, found or shown in another."""

from __future__ import annotations

from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import app, listings, settings, social
from ..service.app import OPERATIONS, Refusal

tenant = Kind("tenant")

SCOPE = "A project is the scope for most operations."


@tenant("web_analytics_get_config", SCOPE)
def all_projects_have_the_first_configuration() -> None:
    wrap(
        "web_analytics_get_config",
        lambda perform, call: {"config": next(iter(call.world.analytics.values()))},
    )


@tenant("web_analytics_get_config", SCOPE)
def membership_is_checked_below_projects_only() -> None:
    enter = app.enter

    def guarded(call: Any) -> None:
        try:
            enter(call)
        except Refusal as refusal:
            if OPERATIONS[call.operation].pattern.pattern.startswith("/projects/") or refusal.status not in {403, 404}:
                raise

    patch(app, "enter", guarded)


@tenant("engagement_like", "Accounts are the social accounts connected to a project.")
def pages_of_other_projects_like_posts() -> None:
    def connected(call: Any, account_id: str) -> None:
        if not any(id == account_id and row["platform"] == "pagenet" for (_, id), row in call.world.accounts.items()):
            raise Refusal(404, "There is no such page.")

    patch(social, "require_page", connected)


@tenant("memory_update", "A project is the scope for most operations")
def entries_are_found_in_other_projects() -> None:
    def found(call: Any) -> Json:
        for (_, slug), entry in call.world.memory.items():
            if slug == call.path["slug"]:
                found_entry: Json = entry
                return found_entry
        raise Refusal(404, "There is no such entry.")

    patch(settings, "find_entry", found)


@tenant("templates_apply", "Lists all agent definitions of the project.")
def sub_projects_list_the_agents_of_their_parent() -> None:
    agents_of = listings.agents_of

    def inherited(call: Any) -> list[Json]:
        parent = call.world.projects[call.project].get("parent")
        return [*agents_of(call), *(call.world.agents[parent] if parent else [])]

    patch(listings, "agents_of", inherited)
