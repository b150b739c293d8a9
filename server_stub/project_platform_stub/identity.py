"""Access tokens: real ES256 JWTs, the keys that verify them, and every reason to refuse one."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from datetime import datetime
from typing import Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey, KeySet

from .refusal import unauthorized
from .world import Identity, World

ALGORITHM = "ES256"
ISSUER = "project-platform-stub"
AUDIENCE = "project-platform"
_KEPT = 1024  # Verified tokens that are remembered; a signature costs more than the rest of a request.


class TokenDesk:
    """Issues the tokens of a world, and says whose token came with a request.

    Args:
        world: The world whose identities get tokens.
        now: The clock by which tokens begin and expire.
    """

    def __init__(self, world: World, now: Callable[[], datetime]) -> None:
        self._world = world
        self._now = now
        self._key = ECKey.generate_key("P-256", auto_kid=True)
        self._verified: dict[str, Mapping[str, Any]] = {}

    def key_set(self) -> dict[str, Any]:
        """Return the published key set (RFC 7517)."""
        keys = KeySet([self._key]).as_dict(private=False)
        return {"keys": [{**key, "alg": ALGORITHM, "use": "sig"} for key in keys["keys"]]}

    def issue(self, identity: Identity, lifetime: float) -> str:
        """Return a token of an identity that lives for so many seconds."""
        issued = self._now().timestamp()
        claims: dict[str, Any] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": identity.id,
            "iat": int(issued),
            "exp": int(issued + lifetime),
            "world": self._world.id,
        }
        if identity.kind == "service_account":
            claims["typ"] = "service_account"
        return self.sign(claims)

    def sign(self, claims: dict[str, Any], *, key: ECKey | None = None) -> str:
        """Return a JWT with just these claims, signed with the published key or with another."""
        key = key or self._key
        return jwt.encode({"alg": ALGORITHM, "kid": key.kid}, claims, key)

    def identify(self, authorization: str | None) -> Identity:
        """Return the identity behind an `Authorization` header, or refuse it with a 401."""
        claims = self._claims(bearer(authorization))
        _check_times(claims, self._now().timestamp())
        if claims.get("iss") != ISSUER:
            raise unauthorized("The token was issued by someone else.")
        audience = claims.get("aud")
        if AUDIENCE not in (audience if isinstance(audience, list) else [audience]):
            raise unauthorized("The token is meant for another audience.")
        if claims.get("world") != self._world.id:
            raise unauthorized("The token belongs to another world.")
        subject = claims.get("sub")
        identity = self._world.identities.get(subject) if isinstance(subject, str) else None
        if identity is None:
            raise unauthorized("The token carries no valid user identifier.")
        return identity

    def _claims(self, token: str) -> Mapping[str, Any]:
        claims = self._verified.get(token)
        if claims is None:
            try:
                # Naming the one algorithm is what keeps `alg: none` and key confusion out (RFC 8725 section 3.1).
                verified = jwt.decode(token, self._key, algorithms=[ALGORITHM])
            except (JoseError, ValueError, TypeError):
                raise unauthorized("The token is malformed or not signed by a published key.") from None
            # Whoever verifies by the published set finds the key by its name; a token that names another is not theirs.
            if verified.header.get("kid") != self._key.kid:
                raise unauthorized("The token names no published key.")
            claims = verified.claims
            if len(self._verified) >= _KEPT:
                self._verified.clear()
            self._verified[token] = claims
        return claims


def bearer(authorization: str | None) -> str:
    """Return the credential of an `Authorization: Bearer` header, or refuse it with a 401."""
    if authorization is None:
        raise unauthorized("The Authorization header is missing.")
    scheme, _, credential = authorization.partition(" ")
    if scheme.lower() != "bearer" or not credential.strip():
        raise unauthorized("The Authorization header must be `Bearer <token>`.")
    return credential.strip()


def _check_times(claims: Mapping[str, Any], now: float) -> None:
    expires, begins, issued = claims.get("exp"), claims.get("nbf", 0), claims.get("iat", 0)
    if not all(isinstance(time, int | float) and not isinstance(time, bool) for time in (expires, begins, issued)):
        raise unauthorized("The token's times are no numbers.")
    if expires is None or now >= expires:
        raise unauthorized("The token has expired.")
    if now < begins or now < issued:
        raise unauthorized("The token is not valid yet.")
