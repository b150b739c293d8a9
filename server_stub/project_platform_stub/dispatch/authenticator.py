"""Authentication: the world and the identity of an `Authorization` header, or a 401 with the reason."""

from __future__ import annotations

import hmac
from collections.abc import Callable, Mapping
from typing import Any

from joserfc import jws, jwt
from joserfc.errors import JoseError

from project_platform_stub.http.errors import unauthorized
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.tokens import ALGORITHM, AUDIENCE, ISSUER, KeyRing, session_credential
from project_platform_stub.world.world import World

_CACHED_TOKENS = 1024  # Verifying a signature takes longer than the rest of a request.


class Authenticator:
    """Authenticates requests by access token or session credential."""

    def __init__(self, ring: KeyRing, find: Callable[[str], World | None]) -> None:
        self._ring = ring
        self._find = find
        self._verified: dict[str, tuple[str, Mapping[str, Any]]] = {}

    def identify(self, authorization: str | None) -> tuple[World, Identity]:
        """Return the world and the identity of an access token, or raise a 401."""
        kid, claims = self._claims(bearer(authorization))
        name = claims.get("world")
        world = self._find(name) if isinstance(name, str) else None
        if world is None:
            raise unauthorized("The world of the token does not exist on this server, or was deleted.")
        if kid not in world.tokens.accepted or self._ring.published(kid) is None:
            raise unauthorized("The signing key of the token is not published, or was retired.")
        _check_times(claims, world.clock.now().timestamp())
        if claims.get("iss") != ISSUER:
            raise unauthorized("The token has another issuer.")
        audience = claims.get("aud")
        if AUDIENCE not in (audience if isinstance(audience, list) else [audience]):
            raise unauthorized("The token has another audience.")
        subject = claims.get("sub")
        identity = world.read_only().identities.get(subject) if isinstance(subject, str) else None
        if identity is None:
            raise unauthorized("The token carries no valid user identifier.")
        return world, identity

    def identify_session(self, authorization: str | None) -> tuple[World, Identity]:
        """Return the world and the identity of a session credential, or raise a 401."""
        credential = bearer(authorization)
        world = self._find(credential.removeprefix("session_").rpartition("_")[0])
        for identity in world.read_only().identities.values() if world else ():
            if world and hmac.compare_digest(
                session_credential(self._ring, world.id, identity).encode(), credential.encode()
            ):
                return world, identity
        raise unauthorized("The session does not exist.")

    def _claims(self, token: str) -> tuple[str, Mapping[str, Any]]:
        cached = self._verified.get(token)
        if cached is not None:
            return cached
        try:
            # The key is selected from the published set by its `kid`, as by any client of the key set.
            kid = jws.extract_compact(token.encode()).headers().get("kid")
            key = self._ring.published(kid)
            if key is None:
                raise unauthorized("The token names no published key.")
            # A fixed algorithm prevents `alg: none` and key confusion (RFC 8725 section 3.1).
            claims = jwt.decode(token, key, algorithms=[ALGORITHM]).claims
        except (JoseError, ValueError, TypeError):
            raise unauthorized("The token is malformed or not signed by a published key.") from None
        if len(self._verified) >= _CACHED_TOKENS:
            self._verified.clear()
        self._verified[token] = verified = str(kid), claims
        return verified


def bearer(authorization: str | None) -> str:
    """Return the credential of an `Authorization: Bearer` header, or raise a 401."""
    if authorization is None:
        raise unauthorized("The Authorization header is missing.")
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise unauthorized("The Authorization header must be `Bearer <token>`.")
    return credential.strip()


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    expires, begins, issued = claims.get("exp"), claims.get("nbf", 0), claims.get("iat", 0)
    if not all(isinstance(time, int | float) and not isinstance(time, bool) for time in (expires, begins, issued)):
        raise unauthorized("The times of the token must be numbers.")
    if expires is None or now >= expires:
        raise unauthorized("The token has expired.")
    if now < begins or now < issued:
        raise unauthorized("The token is not valid yet.")
