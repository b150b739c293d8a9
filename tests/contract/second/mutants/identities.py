"""Services that are wrong only for some callers, or for another project."""

from __future__ import annotations

import json
import time
from dataclasses import replace
from typing import Any

from ..mutant import Json, Kind, patch, wrap
from ..service import (
    app,
    listings,
    permissions,
    social,
    templates,
    tokens,
    workflows,
)
from ..service.app import Call, Refusal, allows

done = Kind("answered and not done")
scope = Kind("resources of another project")
auth = Kind("tokens")
rights = Kind("permissions")
USER = "A real user identity is required. Creation by a service account is rejected."
TOKEN = "Its verification uses a published key set, and it must include a valid user identifier."


@rights("workflows_create", USER)
def service_accounts_create_inactive_workflows() -> None:
    real = workflows.is_real
    patch(workflows, "is_real", lambda call: real(call) or not call.body.get("isActive", False))


@rights("workflows_create", USER)
def service_accounts_create_workflows_with_actions() -> None:
    real = workflows.is_real
    patch(workflows, "is_real", lambda call: real(call) or bool(call.body.get("actions")))


@scope("web_analytics_get_config", "The configuration is null when not configured.")
def the_configuration_of_another_project_is_the_default() -> None:
    wrap(
        "web_analytics_get_config",
        lambda perform, call: ({"config": perform(call)["config"] or next(iter(call.world.analytics.values()))}),
    )


@scope("photo_analytics_list_media", "`GET /socials/analytics/photonet/{projectId}/{accountId}/media`")
def accounts_are_found_in_all_projects() -> None:
    def anywhere(perform: Any, call: Call) -> Any:
        owners = [project for project, id in call.world.accounts if id == call.path["accountId"].lower()]
        return perform(replace(call, path={**call.path, "projectId": (owners or [call.project])[0]}))

    wrap("photo_analytics_list_media", anywhere)


@scope("posts_list", "Returns all scheduled posts of the project.")
def failed_posts_are_listed_in_all_projects() -> None:
    patch(
        listings,
        "posts_of",
        lambda call: [
            post
            for (project, _), post in call.world.posts.items()
            if project == call.project or post["status"] == "failed"
        ],
    )


@scope("templates_apply", "`POST /projects/{projectId}/templates/{templateId}/apply`")
def templates_are_found_in_all_projects() -> None:
    def anywhere(call: Call) -> Json:
        for (_, id), template in call.world.templates.items():
            if id == call.path["templateId"]:
                return template
        raise Refusal(404, "There is no such template.")

    patch(templates, "find_template", anywhere)


@done("engagement_like", "Like a published page post as the page.")
def any_account_likes_after_a_first_like() -> None:
    require = social.require_page
    liked: list[str] = []

    def known(call: Call, account: str) -> None:
        if not liked:
            require(call, account)
            liked.append(account)

    patch(social, "require_page", known)


def accepted(name: str, operation: str, claims: Any) -> None:
    """Register a mutant that verifies the tokens of an operation in another way."""

    def verified(world: Any, token: str) -> Json | None:
        head, _, signature = token.rpartition(".")
        try:
            header, body = (json.loads(tokens._bytes(part)) for part in head.split("."))
        except (ValueError, TypeError):
            return None
        if isinstance(header, dict) and isinstance(body, dict) and claims(world, header, body, signature):
            return body
        return _verified(world, token)

    auth.add(name, operation, TOKEN, lambda: patch(tokens, "verified", verified))


_verified = tokens.verified


accepted(
    "signatures are only measured",
    "photo_analytics_list_media",
    lambda world, head, claims, signature: head.get("kid") in world.keys and len(signature) > 80,
)


accepted(
    "tokens with an unknown key are not verified",
    "calendar_reschedule",
    lambda world, head, claims, signature: head.get("kid") not in world.keys,
)


accepted(
    "the algorithm None is accepted",
    "web_analytics_get_config",
    lambda world, head, claims, signature: str(head.get("alg")).lower() == "none",
)


@auth("agents_list", TOKEN)
def users_who_were_here_before_need_no_valid_token() -> None:
    seen: set[str] = set()
    expired = tokens.expired

    def remembered(claims: Json) -> bool:
        if not expired(claims):
            seen.add(str(claims.get("user_id")))
        return claims.get("user_id") not in seen

    patch(tokens, "expired", remembered)


@auth("engagement_like", TOKEN)
def tokens_are_valid_for_a_day_more() -> None:
    patch(tokens, "expired", lambda claims: claims.get("exp", 0) + 86_400 <= time.time())


@auth("sidebar_replace", TOKEN)
def a_user_that_is_unknown_is_the_owner_of_the_project() -> None:
    user_of = tokens.user_of

    def user(world: Any, authorization: str | None) -> str:
        claims = tokens.verified(world, (authorization or "").partition(" ")[2].strip())
        if claims and claims.get("user_id", "") not in world.users and not tokens.expired(claims):
            return "u-ada"
        return user_of(world, authorization)

    patch(app.tokens, "user_of", user)


@rights("auth_check_permission", "It returns whether the caller identity holds the given project-scoped permission.")
def the_answer_for_a_resource_is_remembered() -> None:
    answers: dict[tuple[str, str], bool] = {}

    def cached(perform: Any, call: Call) -> Any:
        allowed = perform(call)["allowed"]
        resource = call.query["scope"].partition(":")[0]
        return {"allowed": answers.setdefault((call.user, resource), allowed)}

    wrap("auth_check_permission", cached)


@rights("auth_check_permission", "It resolves the caller identity and returns whether it holds the given permission.")
def the_answer_is_remembered_for_all_callers() -> None:
    answers: dict[str, bool] = {}

    def cached(perform: Any, call: Call) -> Any:
        return {"allowed": answers.setdefault(call.query.get("scope", ""), perform(call)["allowed"])}

    wrap("auth_check_permission", cached)


@rights("auth_check_permission", "The form is `<resource>:<action>`. Actions: `read`, `write`, `manage`.")
def managers_of_one_resource_are_readers() -> None:
    patch(
        permissions,
        "allows",
        lambda role, value: allows(role, value) or (role == "reader" and value == "support_tickets:manage"),
    )
