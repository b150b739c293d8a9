"""Credentials that are accepted wrongly, permissions that are resolved wrongly, and errors in another form."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from collections.abc import Callable
from dataclasses import replace
from typing import Any
from uuid import uuid4

from ..mutant import Json, Kind, alter_replies, alter_value, patch, wrap
from ..service import Service, permissions, tokens
from ..service.app import Call, Refusal, Reply, Request, error, find, json_reply

credentials = Kind("credential of a caller")
answers = Kind("permission of a caller")
refusals = Kind("form of an error")

REQUIRED = "Every endpoint requires the bearer credential described under Authentication."
VERIFIED = "Its verification uses a published key set, and it must include a valid user identifier."
HOLDS = "It resolves the caller identity and returns whether it holds the given project-scoped permission."
RESOURCES = "Every resource below has all three."
ALLOWED = "Response: `{allowed: boolean}`."
ERROR = (
    "Error body (JSON): `message` (string, always present) and `code` (string, optional, for programmatic handling)."
)
OF_LABELS = "Error responses: 400, 401, 403 (JSON error body)."


def part_of(token: str, place: int) -> Json:
    """Return the header or the claims of a token, without verification; empty if there are none."""
    try:
        value = json.loads(urlsafe_b64decode(token.split(".")[place] + "=="))
    except (ValueError, IndexError):
        return {}
    return value if isinstance(value, dict) else {}


@credentials("records_create", VERIFIED)
def tokens_with_the_algorithm_none_need_no_signature() -> None:
    verify = tokens.verified

    def verified(world: Any, token: str) -> Json | None:
        unsigned = str(part_of(token, 0).get("alg")).lower() == "none" and token.endswith(".")
        return part_of(token, 1) or None if unsigned else verify(world, token)

    patch(tokens, "verified", verified)


@credentials("agents_list", VERIFIED)
def tokens_that_were_verified_once_are_remembered_without_their_signature() -> None:
    verify = tokens.verified
    known: dict[str, Json] = {}

    def verified(world: Any, token: str) -> Json | None:
        head = token.rpartition(".")[0]
        if head not in known and (claims := verify(world, token)) is not None:
            known[head] = claims
        return known.get(head)

    patch(tokens, "verified", verified)


@credentials("posts_list", VERIFIED)
def tokens_without_a_user_may_read() -> None:
    identify = tokens.user_of

    def user_of(world: Any, authorization: str | None) -> str:
        claims = tokens.verified(world, (authorization or "").partition(" ")[2].strip())
        if claims is not None and "user_id" not in claims and not tokens.expired(claims):
            return "u-ben"
        return identify(world, authorization)

    patch(tokens, "user_of", user_of)


def authorizing(credential: Callable[[Service, Request], str | None]) -> None:
    """Add a credential to requests that have none."""
    respond = Service.__call__

    def altered(self: Service, request: Request) -> Reply:
        if "authorization" not in request.headers and (found := credential(self, request)) is not None:
            request = replace(request, headers={**request.headers, "authorization": found})
        return respond(self, request)

    patch(Service, "__call__", altered)


def operation_of(request: Request) -> str | None:
    """Return the operation of a request; None if it addresses none."""
    try:
        return find(request.method, request.target.partition("?")[0])[0]
    except Refusal:
        return None


@credentials("web_analytics_get_config", REQUIRED)
def requests_without_a_credential_read_the_analytics_configuration() -> None:
    def of_the_dashboard(self: Service, request: Request) -> str | None:
        public = operation_of(request) == "web_analytics_get_config"
        return f"Bearer {tokens.issue(self.world.keys['second-1'], 'u-ada')}" if public else None

    authorizing(of_the_dashboard)


@credentials("posts_list", REQUIRED)
def a_session_cookie_replaces_the_credential() -> None:
    sessions: dict[str, str] = {}
    authorizing(lambda self, request: sessions.get(request.headers.get("cookie", "").removeprefix("session=")))

    def starting(operation: str | None, request: Request, reply: Reply) -> Reply:
        credential = request.headers.get("authorization")
        if operation is None or credential is None or reply.status >= 300:
            return reply
        session = uuid4().hex
        sessions[session] = credential
        return replace(reply, headers={**reply.headers, "set-cookie": f"session={session}; Path=/; HttpOnly"})

    alter_replies(starting)


@credentials("labels_export", OF_LABELS)
def tokens_that_are_no_jwt_are_unprocessable_for_the_label_export() -> None:
    def altered(operation: str | None, request: Request, reply: Reply) -> Reply:
        token = request.headers.get("authorization", "").partition(" ")[2]
        if operation == "labels_export" and reply.status == 401 and token and token.count(".") != 2:
            return error(Refusal(422, "Not enough segments."))
        return reply

    alter_replies(altered)


@answers("auth_check_permission", RESOURCES)
def support_tickets_are_an_unknown_resource() -> None:
    patch(permissions, "RESOURCES", [name for name in permissions.RESOURCES if name != "support_tickets"])


@answers("auth_check_permission", HOLDS)
def the_first_action_that_is_checked_decides_for_the_resource() -> None:
    known: dict[tuple[str, str], Any] = {}

    def remembered(perform: Any, call: Call) -> Any:
        value = perform(call)
        return known.setdefault((call.user, call.query["scope"].partition(":")[0]), value)

    wrap("auth_check_permission", remembered)


@answers("auth_check_permission", ALLOWED)
def a_permission_that_is_not_held_is_null() -> None:
    alter_value("auth_check_permission", lambda value: value.update(allowed=value["allowed"] or None))


@answers("auth_check_permission", HOLDS)
def a_service_account_has_the_permissions_of_its_creator() -> None:
    role_of = permissions.home_role

    def home_role(call: Call) -> str | None:
        role = role_of(call)
        return "owner" if role == "robot" else role

    patch(permissions, "home_role", home_role)


def errors(
    name: str, operation: str, sentence: str, form: Callable[[Json], Reply], *, when: Callable[[Request, Reply], bool]
) -> None:
    """Register a mutant that answers the errors of an operation in another form."""

    def altered(found: str | None, request: Request, reply: Reply) -> Reply:
        return form(json.loads(reply.body)) if found == operation and when(request, reply) else reply

    refusals.add(name, operation, sentence, lambda: alter_replies(altered))


errors(
    "messages of invalid workflows are lists",
    "workflows_create",
    ERROR,
    lambda value: json_reply(422, {**value, "message": [value["message"]]}),
    when=lambda request, reply: reply.status == 422,
)


errors(
    "unknown memory entries are answered without a body",
    "memory_update",
    ERROR,
    lambda value: Reply(404, b"", {}),
    when=lambda request, reply: reply.status == 404,
)
