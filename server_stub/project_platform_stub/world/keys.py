"""The keys that sign access tokens, and the published subset of them."""

from __future__ import annotations

import secrets
from typing import Any

from joserfc.jwk import ECKey, KeySet

ALGORITHM = "ES256"


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

    def publish(self, kid: str) -> None:
        """Add a key to the published set."""
        self._published.add(kid)

    def withdraw(self, kid: str) -> None:
        """Remove a key from the published set."""
        self._published.discard(kid)

    def key(self, kid: str) -> ECKey:
        """Return the key with this `kid`."""
        return self._keys[kid]

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
