"""The access tokens of a run. The owner's is renewed from the session credential when the service no longer accepts it."""

from __future__ import annotations

import json
import re
import threading
from base64 import urlsafe_b64decode
from collections.abc import Callable
from http import HTTPStatus
from typing import Any, Final

import httpx

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.operations import operation_by_id

ACCEPTED: Final = frozenset({"owner", "viewer", "service_account", "outsider"})
"""Identities whose tokens the service accepts; what they may do differs."""

JWT: Final = re.compile(r"(?<![A-Za-z0-9_-])[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++\.[A-Za-z0-9_-]++")
"""A token in a text, found in a time that is proportional to the length of the text."""

PERMISSION_PARAMETERS: Final = (
    *("permission", "permissionKey", "permission_key", "perm", "p", "key", "scope", "name", "value", "check"),
)
"""Usual names of the query parameter of a permission check, which the specification does not give. That of the contract comes first."""

_SESSION: Final = "session"
_TOKEN_ENDPOINT: Final = "/api/auth/token"  # noqa: S105  # a path


class Credentials:
    """The current access tokens by identity. A renewed token replaces the one in the data of the run.

    Args:
        data: Data of the run.
        get: Sends a GET with a token, a path and a query, and returns a conclusive response.
    """

    def __init__(self, data: Data, get: Callable[[str, str, dict[str, str]], httpx.Response]) -> None:
        self._data = data
        self._get = get
        self._lost: set[str] = set()
        self._lock = threading.Lock()

    def token(self, identity: str) -> str:
        """Return the current token of an identity.

        Raises:
            MissingError: The data file has none, or the service no longer accepts it and it cannot be renewed.
        """
        token = self._data.token(identity)
        if token in self._lost:
            raise MissingError(_lost(identity))
        return token

    def after_unauthorized(self, identity: str, token: str) -> str | None:
        """Return the token with which to repeat a request that got a 401; None if the 401 is about the request.

        A request that got a 401 was not applied, so that even a write may be repeated with another token.

        Raises:
            MissingError: The service no longer accepts the token, and it cannot be renewed.
        """
        with self._lock:
            if (current := self.token(identity)) != token:
                return current
            if self._is_accepted(token):
                return None
            renewed = self._renewed(token) if identity == "owner" else None
            if renewed is None:
                self._lost.add(token)
                raise MissingError(_lost(identity))
            self._data.tokens[identity] = renewed
            return renewed

    def _is_accepted(self, token: str) -> bool:
        """Return whether the service still accepts a token, whatever its user may do: every user may check permissions."""
        parameter = self._data.values.get("permission_parameter", "permission")
        response = self._get(token, operation_by_id("auth_check_permission").path, {parameter: "settings:read"})
        return response.status_code != HTTPStatus.UNAUTHORIZED

    def _renewed(self, token: str) -> str | None:
        """Return a new token for the user of a token; None if there is no session, or it is another user's."""
        if _SESSION not in self._data.tokens:
            return None
        response = self._get(self._data.token(_SESSION), _TOKEN_ENDPOINT, {})
        found: list[str] = JWT.findall(response.text) if response.is_success else []
        renewed = next((text for text in found if claims_of(text)), None)
        if renewed is None or claims_of(renewed).get("sub") != claims_of(token).get("sub"):
            return None
        return renewed if self._is_accepted(renewed) else None


def claims_of(token: str) -> dict[str, Any]:
    """Return the claims of a JWT without verifying it (RFC 7519 section 4); {} if the token is not a JWT."""
    _, _, rest = token.partition(".")
    payload = rest.partition(".")[0]
    try:
        claims: object = json.loads(urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except ValueError:
        return {}
    return dict(claims) if isinstance(claims, dict) else {}


def _lost(identity: str) -> str:
    hint = "" if identity != "owner" else "; a `session` in `token_variables` renews it"
    return f"the service no longer accepts the token of {identity!r} (401){hint}"
