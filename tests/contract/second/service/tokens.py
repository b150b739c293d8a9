"""Access tokens: JWTs that are signed with a key of the published key set, with the user in the claim `user_id`."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode
from typing import TYPE_CHECKING, Any

from joserfc import jwt
from joserfc.errors import JoseError
from joserfc.jwk import ECKey

if TYPE_CHECKING:
    from .world import World

SESSION = "session-of-ada"
LIFETIME = 3600  # seconds
_ALGORITHMS = ["ES256"]


def new_key() -> ECKey:
    return ECKey.generate_key("P-256")


def issue(key: ECKey, user: str | None, *, kid: str = "second-1", age: float = 0) -> str:
    """Return a token that was issued some seconds ago."""
    issued = int(time.time() - age)
    claims = {"iat": issued, "exp": issued + LIFETIME, "iss": "second"} | ({} if user is None else {"user_id": user})
    return jwt.encode({"alg": "ES256", "typ": "JWT", "kid": kid}, claims, key, algorithms=_ALGORITHMS)


def user_of(world: World, authorization: str | None) -> str:
    """Return the user of an `Authorization` header."""
    from .app import Refusal

    refusal = Refusal(401, "A valid access token is required.")
    scheme, _, token = (authorization or "").partition(" ")
    if scheme.lower() != "bearer":
        raise refusal
    claims = verified(world, token.strip())
    if claims is None or expired(claims) or claims.get("user_id") not in world.users:
        raise refusal
    return str(claims["user_id"])


def verified(world: World, token: str) -> dict[str, Any] | None:
    """Return the claims of a token with a valid signature of a published key."""
    try:
        return jwt.decode(token, lambda signed: world.keys[signed.headers()["kid"]], algorithms=_ALGORITHMS).claims
    except (JoseError, ValueError, KeyError, TypeError):
        return None


def expired(claims: dict[str, Any]) -> bool:
    expiry = claims.get("exp")
    return not isinstance(expiry, int) or expiry <= time.time()


def exchange(world: World, headers: dict[str, str]) -> str:
    """Return an access token for a session credential."""
    from .app import Refusal

    if headers.get("authorization") != f"Bearer {SESSION}":
        raise Refusal(401, "There is no such session.")
    return issue(world.keys["second-1"], "u-ada")


def key_set(world: World) -> dict[str, Any]:
    return {"keys": [{**key.as_dict(private=False), "kid": kid} for kid, key in world.keys.items()]}


def decoded(part: str) -> Any:
    return json.loads(urlsafe_b64decode(part + "=" * (-len(part) % 4)))
