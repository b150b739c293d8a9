"""Where tokens come from: a text, a function, or the service's own token endpoint.

A client asks its source before each call, and once more when the service refuses a token with 401.
"""

from __future__ import annotations

import base64
import inspect
import json
import threading
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeGuard, runtime_checkable

import anyio
import anyio.lowlevel

from ..errors import UsageError
from ..json_values.exact_json import is_object
from .headers import Secret
from .operation import Call, Operation, Response

if TYPE_CHECKING:
    from .operation import Answer

Send: TypeAlias = "Callable[[Call[str], Secret], Answer[str]]"
"""Sends a call with another credential than the client's token."""

AsyncSend: TypeAlias = "Callable[[Call[str], Secret], Awaitable[Answer[str]]]"


@runtime_checkable
class TokenProvider(Protocol):
    """A source of tokens that both clients can use."""

    def token(self, refused: str | None = None) -> str | Awaitable[str]:
        """Return a token, or for an `AsyncClient` an awaitable of one.

        Args:
            refused: A token that the service just refused with 401: if there is a newer one, return that.
        """
        ...


def is_token_provider(source: object) -> TypeGuard[TokenProvider]:
    """Return whether an instance has a callable `token`; `isinstance` would accept any attribute of that name."""
    return not isinstance(source, type) and callable(getattr(source, "token", None))


TokenSource: TypeAlias = "str | Callable[[], str] | Callable[[], Awaitable[str]] | TokenProvider | TokenEndpoint"
"""What a client takes as `token`."""


def _read_token(response: Response) -> str:
    body: object = json.loads(response.body)
    token = body.get("token") if is_object(body) else None
    if not isinstance(token, str) or not token:
        raise ValueError("no token")
    return token


# Not in `openapi.yaml`, since the specification does not show its shape; the assumption is marked there.
TOKEN_CALL: Final = Call(
    Operation(
        id="token",
        method="GET",
        path="/api/auth/token",
        retry="safe",
        effect="read",
        section="Authentication 2",
        read=_read_token,
    ),
    "/api/auth/token",
)


def expiry(token: str) -> float | None:
    """Return when a JWT expires, in seconds since the epoch; None if it does not say or is no JWT.

    The signature is not checked: that is the service's to do (RFC 7519, section 4.1.4).
    """
    try:
        payload = token.split(".")[1]
        claims: Any = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return None


@dataclass(slots=True)
class _Held:
    """The token that is in use, and until when."""

    token: Secret | None = None
    until: float = 0.0

    def usable(self, refused: str | None, now: float) -> Secret | None:
        """Return the token unless it was refused or is about to expire."""
        return self.token if self.token is not None and self.token != refused and now < self.until else None


class TokenEndpoint:
    """Tokens from the service's `/api/auth/token`, kept until shortly before they expire.

    However many threads or tasks need a token at once, one request is made. The specification does not show the shape
    of the endpoint; assumed is a GET with the session credential as bearer, answered with `{"token": "<JWT>"}`.

    Args:
        session: The caller's session credential, which the endpoint exchanges for tokens.
        leeway: Seconds before its expiry at which a token is replaced.
        now: Seconds since the epoch.
    """

    def __init__(self, session: str, *, leeway: float = 30.0, now: Callable[[], float] = time.time) -> None:
        if not session:
            raise UsageError("session is empty; give the credential of the session that tokens are made for")
        self.session: Secret = Secret(session)
        self._leeway = leeway
        self._now = now
        self._held = _Held()
        self._lock = threading.Lock()
        self._async_lock = anyio.Lock()
        self._loop: object = None

    def token(self, send: Send, refused: str | None) -> Secret:
        """Return a token that is valid for a while, fetching one if need be."""
        held = self._held.usable(refused, self._now())
        if held is not None:
            return held
        with self._lock:
            held = self._held.usable(refused, self._now())
            return held or self._keep(send(TOKEN_CALL, self.session))

    async def token_async(self, send: AsyncSend, refused: str | None) -> Secret:
        """Same as `token`, but for tasks."""
        held = self._held.usable(refused, self._now())
        if held is not None:
            return held
        loop = anyio.lowlevel.current_token()
        if loop != self._loop:  # a lock serves one event loop: `asyncio.run` once more, or trio after asyncio
            self._loop, self._async_lock = loop, anyio.Lock()
        async with self._async_lock:
            held = self._held.usable(refused, self._now())
            return held or self._keep(await send(TOKEN_CALL, self.session))

    def _keep(self, answer: Answer[str]) -> Secret:
        token = Secret(answer.value)
        expires = expiry(token)
        # A token that does not say when it expires serves until it is refused.
        self._held = _Held(token, float("inf") if expires is None else expires - self._leeway)
        return token

    def __repr__(self) -> str:
        return "TokenEndpoint(session=[redacted])"


def get_token(source: TokenSource, send: Send, refused: str | None) -> Secret:
    """Return a token for a `Client`.

    Args:
        source: What the client was given.
        send: Sends the call of a token endpoint.
        refused: A token that the service just refused.
    """
    if isinstance(source, TokenEndpoint):
        return source.token(send, refused)
    token = source.token(refused) if is_token_provider(source) else _function(source)()
    if isinstance(token, str):
        return Secret(token)
    if inspect.iscoroutine(token):
        token.close()
    raise UsageError(f"token gives a {type(token).__name__} and not a text; an async function needs an AsyncClient")


async def get_token_async(source: TokenSource, send: AsyncSend, refused: str | None) -> Secret:
    """Same as `get_token`, but for an `AsyncClient`: the source may be asynchronous."""
    if isinstance(source, TokenEndpoint):
        return await source.token_async(send, refused)
    token = source.token(refused) if is_token_provider(source) else _function(source)()
    if inspect.isawaitable(token):
        token = await token
    if isinstance(token, str):
        return Secret(token)
    raise UsageError(f"token gives a {type(token).__name__} and not a text")


def _function(source: object) -> Callable[[], Any]:
    if callable(source):
        return source
    raise UsageError(f"token is a {type(source).__name__}; give a text, a function, a TokenProvider or a TokenEndpoint")
