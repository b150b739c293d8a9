"""Broken authentication and authorization (Authentication)."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

from project_platform_contract.rules.kinds import dashed
from project_platform_stub.contract import Operation
from project_platform_stub.dispatch import authenticator
from project_platform_stub.dispatch.authenticator import Authenticator
from project_platform_stub.dispatch.context import RequestContext
from project_platform_stub.dispatch.service import Service
from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.messages import Response, json_response
from project_platform_stub.profile import Profile
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.tokens import Tokens
from project_platform_stub.world.world import World

from .mutation import Break, alter_responses, mutation, patch


@mutation("auth.bearer-required.*")
def who_brings_no_token_is_taken_for_the_owner() -> None:
    identify = Authenticator.identify

    def known(self: Authenticator, authorization: str | None) -> tuple[World, Identity]:
        if authorization is None:
            world = self._find("demo")
            assert world is not None
            return world, world.identity("owner")
        return identify(self, authorization)

    patch(Authenticator, "identify", known)


def lenient_for(id: str, reason: str = "") -> Break:
    """Return a mutation that lets one operation accept tokens that are refused for a reason; without one, no token is needed."""

    def apply() -> None:
        identify, find = Authenticator.identify, Service._find
        found: list[str] = []

        def noted(self: Service, request: Any) -> tuple[Operation, dict[str, str]]:
            operation, texts = find(self, request)
            found[:] = [operation.id]
            return operation, texts

        def known(self: Authenticator, authorization: str | None) -> tuple[World, Identity]:
            try:
                return identify(self, authorization)
            except ApiError as refusal:
                world = self._find("demo")
                if found != [id] or reason not in refusal.message or world is None:
                    raise
                return world, world.identity("owner")

        patch(Service, "_find", noted)
        patch(Authenticator, "identify", known)

    problem = f"accepts_tokens_with_the_problem_{reason.replace(' ', '_')}" if reason else "needs_no_token"
    apply.__name__ = f"{id}_{problem}"
    return apply


mutation("auth.bearer-required.agents-list")(lenient_for("agents_list"))
for operation in ("records_update", "calendar_busy", "labels_export"):
    mutation(f"auth.token.published-key.{dashed(operation)}")(lenient_for(operation, "names no published key"))
    mutation(f"auth.token.user-identifier.{dashed(operation)}")(lenient_for(operation, "user identifier"))


@mutation("auth.bearer-required.*")
def a_token_needs_no_scheme() -> None:
    bearer = authenticator.bearer
    patch(authenticator, "bearer", lambda text: bearer(f"Bearer {text}" if text and text[:2] == "ey" else text))


@mutation("auth.signature-verified.*")
def an_empty_signature_is_not_checked() -> None:
    decode = authenticator.jwt.decode

    def unchecked(token: str, *arguments: Any, **options: Any) -> Any:
        if token.endswith(".") and "none" not in json.dumps(header_of(token)):
            return SimpleNamespace(claims=payload_of(token))
        return decode(token, *arguments, **options)

    patch(authenticator, "jwt", SimpleNamespace(decode=unchecked))


@mutation("auth.expired-refused.*")
def tokens_never_expire() -> None:
    patch(authenticator, "_check_times", lambda claims, now: None)


@mutation("auth.signature-verified.*")
def signatures_are_not_checked() -> None:
    def decode(token: str, key: object, algorithms: object) -> SimpleNamespace:
        return SimpleNamespace(claims=payload_of(token))

    patch(authenticator, "jwt", SimpleNamespace(decode=decode))


@mutation("auth.bearer-required.*")
def any_scheme_of_authorization_is_accepted() -> None:
    bearer = authenticator.bearer

    def any_scheme(authorization: str | None) -> str:
        credential = (authorization or "").partition(" ")[2]
        return bearer(f"Bearer {credential}" if credential else authorization)

    patch(authenticator, "bearer", any_scheme)


@mutation("auth.token.user-identifier.*")
def a_token_without_a_user_is_accepted() -> None:
    identify = Authenticator.identify

    def anybody(self: Authenticator, authorization: str | None) -> tuple[World, Identity]:
        try:
            return identify(self, authorization)
        except ApiError as refusal:
            world = self._find("demo")
            if "user identifier" not in refusal.message or world is None:
                raise
            return world, world.identity("owner")

    patch(Authenticator, "identify", anybody)


@mutation("templates.apply.permission", also=("templates.apply.permission-alone",))
def a_read_permission_is_enough_to_write() -> None:
    needed = Profile.needed

    def reading(self: Profile, operation_id: str) -> str | None:
        permission = needed(self, operation_id)
        return permission and permission.replace(":write", ":read")

    patch(Profile, "needed", reading)


@mutation("auth.bearer-required.*")
def unauthenticated_requests_succeed() -> None:
    def success(operation: str | None, response: Response) -> Response:
        return replace(response, status=200) if response.status == 401 else response

    alter_responses(success)


@mutation("auth.token.published-key.*")
def a_token_of_any_key_is_accepted() -> None:
    claims_of = Authenticator._claims

    def unverified(self: Authenticator, token: str) -> tuple[str, Any]:
        try:
            return claims_of(self, token)
        except ApiError as refusal:
            if "names no published key" not in refusal.message:
                raise
            claims = payload_of(token)
            world = self._find(claims["world"])
            assert world is not None
            return world.tokens.signing, claims

    patch(Authenticator, "_claims", unverified)


@mutation("auth.token.jwt", also=("auth.token.endpoint",))
def access_tokens_are_opaque() -> None:
    sign, claims_of = Tokens.sign, Authenticator._claims
    tokens: dict[str, str] = {}

    def named(self: Tokens, claims: dict[str, Any], **key: Any) -> str:
        name = f"opaque-{len(tokens)}"
        tokens[name] = sign(self, claims, **key)
        return name

    def looked_up(self: Authenticator, token: str) -> tuple[str, Any]:
        return claims_of(self, str(tokens.get(token, token)))

    patch(Tokens, "sign", named)
    patch(Authenticator, "_claims", looked_up)


@mutation("auth.token.endpoint")
def the_token_endpoint_gives_tokens_that_have_expired() -> None:
    def expired(self: Service, context: RequestContext) -> Response:
        world, identity = self._authenticator.identify_session(context.request.headers.get("authorization"))
        return json_response(200, {"token": world.tokens.expired(identity.key)})

    patch(Service, "_token", expired)


@mutation("auth.token.endpoint")
def the_token_endpoint_gives_tokens_to_everybody() -> None:
    def given(self: Service, context: RequestContext) -> Response:
        world = self.worlds.get("demo")
        assert world is not None
        return json_response(200, {"token": world.token()})

    patch(Service, "_token", given)


def payload_of(token: str) -> Any:
    """Return the claims of a token without verifying it."""
    return _part(token, 1)


def header_of(token: str) -> Any:
    """Return the header of a token without verifying it."""
    return _part(token, 0)


def _part(token: str, index: int) -> Any:
    text = token.split(".")[index]
    return json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
