"""Identities and permissions that are resolved in another way than specified."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode
from typing import Any

from ..mutant import Json, Kind, patch
from ..service import listings, permissions, tokens, workflows
from ..service.app import OPERATIONS
from ..service.world import World

access = Kind("access")

CHECK = "It resolves the caller identity and returns whether it holds the given project-scoped permission."
USER = "Its verification uses a published key set, and it must include a valid user identifier."
LATER = frozenset({"sub_projects", "project_templates"})
DAY = 86400  # seconds


def decoded(part: str) -> Any:
    """Return the JSON value of a part of a token."""
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))


@access("auth_check_permission", CHECK)
def permissions_of_later_resources_were_not_granted_to_services() -> None:
    allows = permissions.allows
    patch(
        permissions,
        "allows",
        lambda role, permission: (
            allows(role, permission) and (role != "robot" or permission.partition(":")[0] not in LATER)
        ),
    )


@access("auth_check_permission", CHECK)
def permissions_of_service_accounts_are_not_resolved() -> None:
    home_role = permissions.home_role
    patch(permissions, "home_role", lambda call: home_role(call) if workflows.is_real(call) else None)


@access("auth_check_permission", USER)
def unknown_users_are_registered() -> None:
    verified = tokens.verified

    def registered(world: World, token: str) -> Json | None:
        claims = verified(world, token)
        if claims is not None and isinstance(claims.get("user_id"), str):
            world.users.setdefault(claims["user_id"], {})
        return claims

    patch(tokens, "verified", registered)


@access("templates_apply", "The permission `sub_projects:write` on the parent project is required.")
def templates_are_applied_by_whoever_reads_them() -> None:
    OPERATIONS["templates_apply"].needs = "project_templates:read"


@access("agents_list", "Lists all agent definitions of the project.")
def agents_are_listed_for_the_roles_that_they_allow() -> None:
    agents_of = listings.agents_of

    def allowed(call: Any) -> list[Json]:
        role = call.world.members[call.project, call.user]
        return [agent for agent in agents_of(call) if role == "owner" or role in agent["allowedRoles"]]

    patch(listings, "agents_of", allowed)


@access("posts_list", "Its verification uses a published key set, and it must include a valid user identifier.")
def tokens_of_unknown_keys_are_not_verified() -> None:
    verified = tokens.verified

    def lenient(world: World, token: str) -> Json | None:
        try:
            header, claims = (decoded(part) for part in token.split(".")[:2])
            if header["kid"] not in world.keys and isinstance(claims, dict):
                return claims
        except (ValueError, KeyError, TypeError):
            return None
        return verified(world, token)

    patch(tokens, "verified", lenient)


@access("photo_analytics_list_media", "The token is a JWT.")
def tokens_expire_a_day_late() -> None:
    patch(
        tokens,
        "expired",
        lambda claims: not isinstance(claims.get("exp"), int) or claims["exp"] + DAY <= time.time(),
    )


@access("engagement_like", USER)
def tokens_without_a_user_are_those_of_the_system() -> None:
    verified = tokens.verified

    def system(world: World, token: str) -> Json | None:
        claims = verified(world, token)
        return None if claims is None else {"user_id": "u-cron", **claims}

    patch(tokens, "verified", system)
