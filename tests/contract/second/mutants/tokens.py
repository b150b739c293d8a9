"""Credentials and preconditions that are right at first: caches whose key lacks something, and reads of an earlier state."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

from ..mutant import Json, Kind, instead, patch
from ..service import permissions, records, tokens
from ..service.app import Call
from ..service.world import World

auth = Kind("tokens")
cache = Kind("cache")

TOKEN = "Its verification uses a published key set, and it must include a valid user identifier."
HOLDS = "It resolves the caller identity and returns whether it holds the given project-scoped permission."


@auth("auth_check_permission", HOLDS)
@instead(permissions, "home_role")
def a_service_account_has_the_permissions_of_its_creator(role_of: Any, call: Call) -> str | None:
    role = role_of(call)
    return "owner" if role == "robot" else role


@auth("web_analytics_get_config", TOKEN)
@instead(tokens, "verified")
def the_algorithm_none_is_accepted_whatever_its_case(verified: Any, world: World, token: str) -> Json | None:
    try:
        header, claims = (tokens.decoded(part) for part in token.split(".")[:2])
        none = str(header.get("alg")).lower() == "none"
    except (ValueError, TypeError, AttributeError):
        return verified(world, token)
    return claims if none else verified(world, token)


@cache("auth_check_permission", TOKEN)
@instead(tokens, "verified", {})
def verified_tokens_are_cached_without_their_signature(
    known: dict[str, Json], verified: Any, world: World, token: str
) -> Json | None:
    head = token.rpartition(".")[0]
    if head not in known:
        claims = verified(world, token)
        if claims is None:
            return None
        known[head] = claims
    return known[head]


@cache(
    "records_update",
    "`expectedData` is a JSON containment precondition and `expectedStatus` is a status precondition.",
)
def preconditions_read_a_replica_that_lacks_the_last_update() -> None:
    apply_changes, stale = records.apply_changes, records.stale
    replica: dict[str, Json] = {}

    def lagging(call: Any, record: Json, body: Json) -> None:
        replica[record["id"]] = deepcopy(record)
        apply_changes(call, record, body)

    patch(records, "apply_changes", lagging)
    patch(records, "stale", lambda record, body: stale(replica.get(record["id"], record), body))
