"""The access tokens of a world, valid ones and one for each reason to refuse a token, and the keys that sign them."""

from __future__ import annotations

import hmac
import json
import secrets
from base64 import urlsafe_b64encode
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from joserfc import jwt
from joserfc.jwk import ECKey, KeySet

from .domain import Identity

if TYPE_CHECKING:
    from .world import World

ALGORITHM = "ES256"
# Short, because every token contains them.
ISSUER = "stub"
AUDIENCE = "platform"
LIFETIME = 24 * 60 * 60.0  # Seconds; long enough for a demonstration that lasts a working day.
_HOUR = 60 * 60.0  # Seconds


class KeyRing:
    """The keys of a server.

    Attributes:
        first: Identifier (`kid`) of the key that worlds sign with until they rotate.
        secret: Secret that session credentials are derived from.
    """

    def __init__(self) -> None:
        self._keys: dict[str, ECKey] = {}
        self._published: set[str] = set()
        self.secret = secrets.token_bytes(32)
        self.first = self.new()

    def new(self, *, published: bool = True) -> str:
        """Add a key and return its `kid`. Tokens that are signed with an unpublished key are refused."""
        kid = secrets.token_hex(4)  # short, because every token contains it
        key = ECKey.generate_key("P-256", parameters={"kid": kid})
        self._keys[kid] = key
        if published:
            self._published.add(kid)
        return kid

    def published(self, kid: object) -> ECKey | None:
        """Return the key with this `kid`; None if it is unknown or not published."""
        return self._keys[kid] if isinstance(kid, str) and kid in self._published else None

    def key_set(self) -> dict[str, Any]:
        """Return the published key set (RFC 7517)."""
        keys = KeySet([key for kid, key in list(self._keys.items()) if kid in self._published]).as_dict(private=False)
        return {"keys": [{**key, "alg": ALGORITHM, "use": "sig"} for key in keys["keys"]]}

    def dump(self) -> dict[str, Any]:
        """Return all keys as JSON, with their private parts, for `restore`."""
        return {
            "first": self.first,
            "secret": self.secret.hex(),
            "published": sorted(self._published),
            "keys": [key.as_dict(private=True) for key in list(self._keys.values())],
        }

    def restore(self, dumped: dict[str, Any]) -> None:
        """Replace all keys by those of a key ring's `dump`."""
        self._keys = {jwk["kid"]: ECKey.import_key(jwk) for jwk in dumped["keys"]}
        self._published = set(dumped["published"])
        self.secret = bytes.fromhex(dumped["secret"])
        self.first = dumped["first"]


class Tokens:
    """The access tokens of a world (`world.tokens`): valid ones, and one for each reason to refuse a token.

    Most methods take the key of an identity, such as `owner` or `viewer`; the default is the first identity, which is the
    owner in the demo world.

    Attributes:
        signing: `kid` of the key that signs new tokens.
        accepted: `kid`s of the keys whose tokens are accepted.
    """

    def __init__(self, world: World, ring: KeyRing) -> None:
        self._world = world
        self._ring = ring
        self.signing = ring.first
        self.accepted = frozenset({ring.first})
        self.changed: Callable[[], None] = lambda: None

    def valid(self, identity: str | None = None, *, lifetime: float = LIFETIME) -> str:
        """Return a valid token with a lifetime in seconds; a day if not given."""
        return self.sign(self._claims(identity, lifetime=lifetime))

    def expired(self, identity: str | None = None) -> str:
        """Return a token that expired an hour ago."""
        return self.sign(self._claims(identity, issued=-2 * _HOUR, lifetime=_HOUR))

    def not_yet_valid(self, identity: str | None = None) -> str:
        """Return a token that becomes valid in an hour."""
        return self.sign(self._claims(identity, nbf=int(self._now() + _HOUR)))

    def wrong_audience(self, identity: str | None = None) -> str:
        """Return a token whose `aud` is another service."""
        return self.sign(self._claims(identity, aud="another-service"))

    def wrong_issuer(self, identity: str | None = None) -> str:
        """Return a token whose `iss` is another issuer."""
        return self.sign(self._claims(identity, iss="another-issuer"))

    def unknown_key(self, identity: str | None = None) -> str:
        """Return a token that is signed with a key that is not published."""
        return self.sign(self._claims(identity), key=ECKey.generate_key("P-256", auto_kid=True))

    def wrong_signature(self, identity: str | None = None) -> str:
        """Return a token that names a published key but is signed with another one."""
        forged = ECKey.generate_key("P-256", parameters={"kid": self.signing})
        return self.sign(self._claims(identity), key=forged)

    def alg_none(self, identity: str | None = None) -> str:
        """Return an unsigned token (`alg` is `none`; RFC 8725 section 2.1)."""
        return f"{_part({'alg': 'none', 'typ': 'JWT'})}.{_part(self._claims(identity))}."

    def no_user_id(self) -> str:
        """Return a token without `sub`."""
        claims = self._claims(None)
        del claims["sub"]
        return self.sign(claims)

    def unknown_user(self) -> str:
        """Return a token whose `sub` is no identity of the world."""
        claims = self._claims(None)
        return self.sign({**claims, "sub": "user_unknown"})

    def service_account(self, *, lifetime: float = LIFETIME) -> str:
        """Return a token of the first service account.

        Raises:
            LookupError: The world has no service account.
        """
        for identity in self._world.identities.values():
            if identity.kind == "service_account":
                return self.valid(identity.key, lifetime=lifetime)
        raise LookupError("This world has no service account; add one to its world file")

    def role(self, role: str, *, lifetime: float = LIFETIME) -> str:
        """Return a token of the first identity that has a role in the world's first project.

        Raises:
            LookupError: No identity has the role.
        """
        members = self._world.project.members
        for identity, assigned in members.items():
            if assigned == role:
                return self.valid(self._world.identities[identity].key, lifetime=lifetime)
        known = ", ".join(dict.fromkeys(members.values())) or "none"
        raise LookupError(f"No member of the first project has the role {role!r}; its members have: {known}")

    def sign(self, claims: dict[str, Any], *, key: ECKey | None = None) -> str:
        """Return a token with exactly these claims, signed with the world's key or another one."""
        key = key or self._ring._keys[self.signing]
        return jwt.encode({"alg": ALGORITHM, "kid": str(key.kid)}, claims, key)

    def key_set(self) -> dict[str, Any]:
        """Return the published key set (RFC 7517)."""
        return self._ring.key_set()

    def session(self, identity: str | None = None) -> str:
        """Return a session credential, which the token endpoint exchanges for access tokens."""
        return session_credential(self._ring, self._world.id, self._identity(identity))

    def rotate(self, *, stale: bool = False) -> None:
        """Sign with a new key from now on; tokens of the old keys remain valid until `retire`.

        Args:
            stale: Whether to leave the new key out of the published key set, so that its tokens are refused until
                `publish`.
        """
        self.signing = self._ring.new(published=not stale)
        self.accepted |= {self.signing}
        self.changed()

    def publish(self) -> None:
        """Publish the signing key, after a rotation with `stale=True`."""
        self._ring._published.add(self.signing)
        self.changed()

    def retire(self) -> None:
        """Refuse the tokens of all keys but the signing key."""
        self._ring._published -= self.accepted - {self.signing, self._ring.first}
        self.accepted = frozenset({self.signing})
        self.changed()

    def reset(self) -> None:
        """Sign with the server's first key again, and accept only that key."""
        self.signing = self._ring.first
        self.retire()

    def _claims(
        self, key: str | None, *, issued: float = 0.0, lifetime: float = LIFETIME, **other: Any
    ) -> dict[str, Any]:
        identity = self._identity(key)
        begins = self._now() + issued
        claims: dict[str, Any] = {
            "iss": ISSUER,
            "aud": AUDIENCE,
            "sub": identity.id,
            "iat": int(begins),
            "exp": int(begins + lifetime),
            "world": self._world.id,
        }
        if identity.kind == "service_account":
            claims["typ"] = "service_account"
        return {**claims, **other}

    def _identity(self, key: str | None) -> Identity:
        if key is None:
            return next(iter(self._world.read_only().identities.values()))
        return self._world.read_only().identity(key)

    def _now(self) -> float:
        return self._world.clock.now().timestamp()


def session_credential(ring: KeyRing, world: str, identity: Identity) -> str:
    """Return the session credential of an identity."""
    proof = hmac.digest(ring.secret, f"{world} {identity.id}".encode(), "sha256").hex()[:48]
    return f"session_{world}_{proof}"


def _part(value: dict[str, Any]) -> str:
    return urlsafe_b64encode(json.dumps(value, separators=(",", ":")).encode()).rstrip(b"=").decode()
