"""Operations that accept tokens that the others refuse."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable
from typing import Any

from ..mutant import Kind, patch
from ..service import app, tokens
from ..service.app import Refusal, Request, Service, find

access_tokens = Kind("tokens")

KEYS = "Its verification uses a published key set, and it must include a valid user identifier."
BEARER = "Every endpoint uses HTTP bearer authentication: `Authorization: Bearer <ACCESS_TOKEN>`."

original = tokens.user_of


def claims_of(authorization: str | None) -> dict[str, Any] | None:
    """Return the claims of a token without verifying it."""
    try:
        part = (authorization or "").split(".")[1]
        claims = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except (IndexError, ValueError):
        return None
    return claims if isinstance(claims, dict) else None


def header_of(authorization: str | None) -> dict[str, Any]:
    """Return the header of a token; {} if it has none."""
    try:
        part = (authorization or "").removeprefix("Bearer ").split(".")[0]
        header = json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
    except ValueError:
        return {}
    return header if isinstance(header, dict) else {}


def lenient(user_of: Callable[[Any, str | None], str | None]) -> Callable[[Any, str | None], str]:
    """Return an authentication that asks `user_of` where the right one refuses."""

    def lenient(world: Any, authorization: str | None) -> str:
        try:
            return original(world, authorization)
        except Refusal:
            is_bearer = (authorization or "").startswith("Bearer ")
            user = user_of(world, authorization) if is_bearer else None
            if user not in world.users:
                raise
            return str(user)

    return lenient


def of_any_key(world: Any, authorization: str | None) -> str | None:
    """Return the user of a token that names a key outside of the key set."""
    claims = claims_of(authorization)
    known = header_of(authorization).get("kid") in world.keys
    return None if known or claims is None or tokens.expired(claims) else claims.get("user_id")


def without_user(world: Any, authorization: str | None) -> str | None:
    """Return the owner for a verified token without a user."""
    claims = tokens.verified(world, (authorization or "").removeprefix("Bearer "))
    return "u-ada" if claims and not tokens.expired(claims) and "user_id" not in claims else None


def of_unknown_user(world: Any, authorization: str | None) -> str | None:
    """Return the owner for a verified token with an unknown user."""
    claims = tokens.verified(world, (authorization or "").removeprefix("Bearer "))
    return (
        "u-ada" if claims and not tokens.expired(claims) and claims.get("user_id", "u-ada") not in world.users else None
    )


def that_expired(world: Any, authorization: str | None) -> str | None:
    """Return the user of a verified token that has expired."""
    claims = tokens.verified(world, (authorization or "").removeprefix("Bearer "))
    return claims.get("user_id") if claims and tokens.expired(claims) else None


def that_was_changed(world: Any, authorization: str | None) -> str | None:
    """Return the user of a token with a known key, whatever its signature."""
    claims = claims_of(authorization)
    known = header_of(authorization).get("kid") in world.keys
    return claims.get("user_id") if known and claims and not tokens.expired(claims) else None


def on(operation: str, name: str, user_of: Callable[[Any, str | None], str | None], sentence: str = KEYS) -> None:
    """Register a mutant with an operation that accepts more tokens."""

    def apply() -> None:
        respond = Service.__call__
        user = lenient(user_of)

        def altered(self: Service, request: Request) -> Any:
            try:
                meant, _ = find(request.method, request.target.partition("?")[0])
            except Refusal:
                meant = ""
            patch(tokens, "user_of", user if meant == operation else original)
            return respond(self, request)

        patch(Service, "__call__", altered)

    access_tokens.add(f"{operation} accepts a token {name}", operation, sentence, apply)


for operation in (
    *(
        "auth_check_permission",
        "workflows_create",
        "records_create",
        "records_update",
        "calendar_book",
        "calendar_busy",
    ),
    *("sidebar_replace", "templates_apply", "engagement_like", "posts_list", "labels_export"),
):
    on(operation, "of another key", of_any_key)
for operation in (
    "web_analytics_get_config",
    "photo_analytics_list_media",
    "memory_update",
    "calendar_reschedule",
    "labels_export",
):
    on(operation, "without a user", without_user)
for operation in ("records_create", "posts_list", "workflows_create", "calendar_busy", "templates_apply"):
    on(operation, "of an unknown user", of_unknown_user)
for operation in ("calendar_reschedule", "web_analytics_get_config", "engagement_like"):
    on(operation, "that has expired", that_expired)
for operation in ("photo_analytics_list_media", "sidebar_replace"):
    on(operation, "with another signature", that_was_changed)


@access_tokens("agents_list", KEYS)
def tokens_with_known_claims_are_not_verified_again() -> None:
    seen: dict[str, str] = {}

    def cached(world: Any, authorization: str | None) -> str:
        claims = claims_of(authorization)
        key = json.dumps([claims.get("user_id"), claims.get("exp")]) if claims else ""
        if key not in seen or not (authorization or "").startswith("Bearer "):
            seen[key] = original(world, authorization)
        return seen[key]

    patch(tokens, "user_of", cached)


@access_tokens("agents_list", KEYS)
def unsigned_tokens_are_accepted() -> None:
    def unsigned(world: Any, authorization: str | None) -> str | None:
        claims = claims_of(authorization)
        return claims.get("user_id") if claims and str(header_of(authorization).get("alg")).lower() == "none" else None

    patch(tokens, "user_of", lenient(unsigned))


@access_tokens("agents_list", BEARER)
def a_session_credential_is_an_access_token() -> None:
    patch(
        tokens,
        "user_of",
        lenient(lambda world, authorization: "u-ada" if (authorization or "").endswith(tokens.SESSION) else None),
    )


@access_tokens("agents_list", BEARER)
def any_token_of_three_parts_is_accepted() -> None:
    patch(
        tokens,
        "user_of",
        lenient(
            lambda world, authorization: (
                "u-ada" if (authorization or "").count(".") == 2 and claims_of(authorization) is None else None
            )
        ),
    )


@access_tokens("agents_list", KEYS)
def tokens_of_the_endpoint_are_signed_with_another_key() -> None:
    other = tokens.new_key()
    patch(tokens, "exchange", lambda world, headers: tokens.issue(other, "u-ada", kid="second-7"))


@access_tokens("agents_list", KEYS)
def tokens_of_the_endpoint_have_no_user() -> None:
    patch(tokens, "exchange", lambda world, headers: tokens.issue(world.keys["second-1"], None))


@access_tokens("auth_check_permission", "Every endpoint uses HTTP bearer authentication")
def a_permission_check_needs_no_token() -> None:
    respond = Service.__call__

    def anybody(self: Service, request: Request) -> Any:
        if request.target.startswith("/auth/check-permission") and "authorization" not in request.headers:
            call = app.Call(
                "auth_check_permission",
                self.world,
                "u-ben",
                {},
                {"scope": request.target.rpartition("=")[2].replace("%3A", ":")},
            )
            return app.success(call, app.OPERATIONS["auth_check_permission"].perform(call))
        return respond(self, request)

    patch(Service, "__call__", anybody)
