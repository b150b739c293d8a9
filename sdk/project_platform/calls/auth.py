"""Token sources: a constant token, a function, a provider, or the service's token endpoint.

A client gets a token from its source before each call, and once more if the service refuses the token with 401.
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
            refused: A token that the service just refused with 401; return a newer one if there is one.
        """
        ...


def is_token_provider(source: object) -> TypeGuard[TokenProvider]:
    """Return whether an instance has a callable `token`; `isinstance` would accept any attribute of that name."""
    return not isinstance(source, type) and callable(getattr(source, "token", None))


TokenSource: TypeAlias = "str | Callable[[], str] | Callable[[], Awaitable[str]] | TokenProvider | TokenEndpoint"
"""The types of a client's argument `token`."""


def _read_token(response: Response) -> str:
    body: object = json.loads(response.body)
    token = body.get("token") if is_object(body) else None
    if not isinstance(token, str) or not token:
        raise ValueError("no token")
    return token


# Not an operation of `openapi.yaml`, since the specification does not show its shape; the assumption is marked there.
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
    """Return when a JWT expires, in seconds since the epoch; None if it does not say, or the token is not a JWT.

    The signature is not checked; the service does that (RFC 7519, section 4.1.4).
    """
    try:
        payload = token.split(".")[1]
        claims: Any = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
        return float(claims["exp"])
    except (IndexError, KeyError, TypeError, ValueError):
        return None


@dataclass(slots=True)
class _CachedToken:
    """The token that is in use, and when it has to be replaced, in seconds since the epoch."""

    token: Secret | None = None
    until: float = 0.0

    def usable(self, refused: str | None, now: float) -> Secret | None:
        """Return the token unless it was refused or is about to expire."""
        return self.token if self.token is not None and self.token != refused and now < self.until else None


class TokenEndpoint:
    """A token source that fetches tokens from the service's `/api/auth/token` and caches them until they expire.

    Threads or tasks that need a token at the same time share one request. The specification does not show the shape of
    the endpoint; assumed is a GET with the session credential as bearer, answered with `{"token": "<JWT>"}`.

    Args:
        session: The session credential, which the endpoint exchanges for tokens.
        leeway: Number of seconds before its expiry at which a token is replaced.
        now: A clock that returns seconds since the epoch.
    """

    def __init__(self, session: str, *, leeway: float = 30.0, now: Callable[[], float] = time.time) -> None:
        if not session:
            raise UsageError(
                "session is empty; give the session credential that the token endpoint exchanges for tokens"
            )
        self.session: Secret = Secret(session)
        self._leeway = leeway
        self._now = now
        self._cached = _CachedToken()
        self._lock = threading.Lock()
        self._async_lock = anyio.Lock()
        self._loop: object = None

    def token(self, send: Send, refused: str | None) -> Secret:
        """Return a token that has not expired, and fetch one if there is none.

        Args:
            send: Sends the request to the endpoint.
            refused: A token that the service just refused with 401; another one is returned.
        """
        cached = self._cached.usable(refused, self._now())
        if cached is not None:
            return cached
        with self._lock:
            cached = self._cached.usable(refused, self._now())
            return cached or self._store(send(TOKEN_CALL, self.session))

    async def token_async(self, send: AsyncSend, refused: str | None) -> Secret:
        """Same as `token`, but for tasks."""
        cached = self._cached.usable(refused, self._now())
        if cached is not None:
            return cached
        loop = anyio.lowlevel.current_token()
        if loop != self._loop:  # a lock serves one event loop: `asyncio.run` once more, or trio after asyncio
            self._loop, self._async_lock = loop, anyio.Lock()
        async with self._async_lock:
            cached = self._cached.usable(refused, self._now())
            return cached or self._store(await send(TOKEN_CALL, self.session))

    def _store(self, answer: Answer[str]) -> Secret:
        token = Secret(answer.value)
        expires = expiry(token)
        # A token without an expiry is used until it is refused.
        self._cached = _CachedToken(token, float("inf") if expires is None else expires - self._leeway)
        return token

    def __repr__(self) -> str:
        return "TokenEndpoint(session=[redacted])"


def get_token(source: TokenSource, send: Send, refused: str | None) -> Secret:
    """Return a token for a `Client`.

    Args:
        source: The token source of the client.
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
    raise UsageError(
        f"the source given as token returned a {type(token).__name__}, not a string; an async function needs an AsyncClient"
    )


async def get_token_async(source: TokenSource, send: AsyncSend, refused: str | None) -> Secret:
    """Same as `get_token`, but for an `AsyncClient`: the source may be asynchronous."""
    if isinstance(source, TokenEndpoint):
        return await source.token_async(send, refused)
    token = source.token(refused) if is_token_provider(source) else _function(source)()
    if inspect.isawaitable(token):
        token = await token
    if isinstance(token, str):
        return Secret(token)
    raise UsageError(f"the source given as token returned a {type(token).__name__}, not a string")


def _function(source: object) -> Callable[[], Any]:
    if callable(source):
        return source
    raise UsageError(
        f"token is a {type(source).__name__}; give a string, a function, a TokenProvider or a TokenEndpoint"
    )
