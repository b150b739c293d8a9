"""Access tokens: JWTs that are signed with a key of the published key set, with the user in the claim `user_id`."""

from __future__ import annotations

import json
import time
from base64 import urlsafe_b64decode, urlsafe_b64encode
from typing import TYPE_CHECKING, Any

from cryptography.exceptions import InvalidSignature
from cryptography.hazmat.primitives.asymmetric.ec import ECDSA, SECP256R1, EllipticCurvePrivateKey, generate_private_key
from cryptography.hazmat.primitives.asymmetric.utils import decode_dss_signature, encode_dss_signature
from cryptography.hazmat.primitives.hashes import SHA256

if TYPE_CHECKING:
    from .world import World

SESSION = "session-of-ada"
LIFETIME = 3600  # seconds
_ALGORITHM = ECDSA(SHA256())


def new_key() -> EllipticCurvePrivateKey:
    """Return a new signing key."""
    return generate_private_key(SECP256R1())


def issue(key: EllipticCurvePrivateKey, user: str | None, *, kid: str = "second-1", age: float = 0) -> str:
    """Return a token that was issued some seconds ago."""
    issued = int(time.time() - age)
    claims: dict[str, Any] = {"iat": issued, "exp": issued + LIFETIME, "iss": "second"}
    if user is not None:
        claims["user_id"] = user
    head = f"{_encode({'alg': 'ES256', 'typ': 'JWT', 'kid': kid})}.{_encode(claims)}"
    r, s = decode_dss_signature(key.sign(head.encode(), _ALGORITHM))
    return f"{head}.{_text(r.to_bytes(32, 'big') + s.to_bytes(32, 'big'))}"


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
    head, _, signature = token.rpartition(".")
    try:
        header, claims = (json.loads(_bytes(part)) for part in head.split("."))
        raw = _bytes(signature)
        key = world.keys[header["kid"]]
        if header["alg"] != "ES256" or not isinstance(claims, dict) or len(raw) != 64:
            return None
        numbers = (int.from_bytes(raw[:32], "big"), int.from_bytes(raw[32:], "big"))
        key.public_key().verify(encode_dss_signature(*numbers), head.encode(), _ALGORITHM)
    except (ValueError, KeyError, TypeError, InvalidSignature):
        return None
    return claims


def expired(claims: dict[str, Any]) -> bool:
    """Return whether the claims are no longer valid."""
    expiry = claims.get("exp")
    return not isinstance(expiry, int) or expiry <= time.time()


def exchange(world: World, headers: dict[str, str]) -> str:
    """Return an access token for a session credential."""
    from .app import Refusal

    if headers.get("authorization") != f"Bearer {SESSION}":
        raise Refusal(401, "There is no such session.")
    return issue(world.keys["second-1"], "u-ada")


def key_set(world: World) -> dict[str, Any]:
    """Return the published key set."""
    numbers = {kid: key.public_key().public_numbers() for kid, key in world.keys.items()}
    return {
        "keys": [
            {
                "kty": "EC",
                "crv": "P-256",
                "kid": kid,
                **{axis: _text(getattr(point, axis).to_bytes(32, "big")) for axis in "xy"},
            }
            for kid, point in numbers.items()
        ]
    }


def _encode(value: dict[str, Any]) -> str:
    return _text(json.dumps(value).encode())


def _text(content: bytes) -> str:
    return urlsafe_b64encode(content).rstrip(b"=").decode()


def _bytes(text: str) -> bytes:
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))
