"""Token sources: a constant token, a function, a provider, or the service's token endpoint.

A client gets a token from its source before each call, and once more if the service refuses the token with 401.
"""

from __future__ import annotations

import base64
import contextlib
import inspect
import json
import math
import time
from collections.abc import Awaitable, Callable, Generator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, Protocol, TypeAlias, TypeGuard, cast, runtime_checkable

from ..errors import NotSentError, TransportError, UsageError
from ..json_values.exact_json import is_object
from .headers import Secret
from .in_time import NotInTimeError, in_time
from .operation import Call, Operation, Response
from .shared_token import SharedToken

if TYPE_CHECKING:
    from .operation import TypedResponse

LEEWAY: Final = 30.0  # seconds
_NO_TOKEN: Final = "the source given as token returned no token before the deadline of the call"  # noqa: S105

Send: TypeAlias = "Callable[[Call[Secret], Secret, float], TypedResponse[Secret]]"
"""Sends a call with another credential than the client's token, within a number of seconds."""

AsyncSend: TypeAlias = "Callable[[Call[Secret], Secret, float], Awaitable[TypedResponse[Secret]]]"


@runtime_checkable
class TokenProvider(Protocol):
    """A source of tokens that both clients can use."""

    def token(self, refused: str | None = None) -> str | Awaitable[str]:
        """Return a token, or for an `AsyncClient` an awaitable of one.

        Args:
            refused: A token that the service just refused with 401; return a newer one if there is one.
        """
        ...


@runtime_checkable
class SecretText(Protocol):
    """A secret of another library, such as `pydantic.SecretStr` in the settings of a program."""

    def get_secret_value(self) -> str:
        """Return the secret as text."""
        ...


def is_token_provider(source: object) -> TypeGuard[TokenProvider]:
    """Return whether an instance has a callable `token`; `isinstance` would accept any attribute of that name."""
    return not isinstance(source, type) and callable(getattr(source, "token", None))


TokenSource: TypeAlias = "str | SecretText | Callable[[], str | SecretText] | Callable[[], Awaitable[str | SecretText]] | TokenProvider | TokenEndpoint"
"""The types of a client's argument `token`."""


def _read_token(response: Response) -> Secret:
    body: object = json.loads(response.body)
    token = body.get("token") if is_object(body) else None
    if not isinstance(token, str) or not token:
        raise ValueError("no token")
    return Secret(token)


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
        credential=True,
    ),
    "/api/auth/token",
)


def claims(token: str) -> Mapping[str, Any] | None:
    """Return the claims of a JWT, whose signature is not checked; None if the token is not a JWT."""
    try:
        payload = token.split(".")[1]
        found: object = json.loads(base64.urlsafe_b64decode(payload + "=" * (-len(payload) % 4)))
    except (IndexError, RecursionError, ValueError):
        return None
    return found if is_object(found) else None


def expiry(token: str) -> float | None:
    """Return when a JWT expires, in seconds since the epoch; None if it does not say, or the token is not a JWT.

    The signature is not checked; the service does that (RFC 7519, section 4.1.4).
    """
    try:
        expires = float((claims(token) or {})["exp"])
    except (KeyError, OverflowError, TypeError, ValueError):
        return None
    return expires if math.isfinite(expires) else None


def usable_until(token: Secret, now: float, leeway: float = LEEWAY) -> float:
    """Return when a token that was just received has to be replaced, in seconds since the epoch.

    Args:
        token: The token.
        now: Seconds since the epoch.
        leeway: Number of seconds before its expiry; half of its life if that is shorter.
    """
    expires = expiry(token.reveal())
    # A token without an expiry is used until it is refused, and so is one that has expired on receipt: the clocks differ.
    if expires is None or expires <= now:
        return float("inf")
    return expires - min(leeway, (expires - now) / 2)


def checked_token(token: str | Secret) -> Secret:
    """Return a token that a header can carry.

    Raises:
        UsageError: The token is empty, or has white space, control characters or characters beyond ASCII.
    """
    # Error reporters show the locals of a frame, so the argument is replaced.
    token = token if isinstance(token, Secret) else Secret(token)
    if not token.reveal():
        raise UsageError("token is empty; give the token alone, without 'Bearer' and line breaks")
    if any(not "!" <= character <= "~" for character in token.reveal()):  # RFC 9110, section 5.5: VCHAR
        raise UsageError(
            "token has white space, control characters or characters beyond ASCII; give the token alone, without 'Bearer' "
            "and line breaks"
        )
    return token


class TokenEndpoint:
    """A token source that fetches tokens from the service's `/api/auth/token` and caches them until they expire.

    Threads and tasks that need a token at the same time share one request, and its error; none waits longer than its own
    deadline. The specification does not show the shape of the endpoint; assumed is a GET with the session credential as
    bearer, and the response `{"token": "<JWT>"}`.

    Args:
        session: The session credential, which the endpoint exchanges for tokens.
        leeway: Number of seconds before its expiry at which a token is replaced; half of its life if that is shorter.
        now: A clock that returns seconds since the epoch.
    """

    def __init__(
        self, session: str | SecretText, *, leeway: float = LEEWAY, now: Callable[[], float] = time.time
    ) -> None:
        text = session.get_secret_value() if isinstance(session, SecretText) else session
        if not isinstance(cast("object", text), str) or not text:
            found = "empty" if text == "" else f"of type {type(text).__name__}"
            del text, session  # error reporters show the locals of a frame
            raise UsageError(
                f"session is {found}; give the session credential that the token endpoint exchanges for tokens"
            )
        self.session: Secret = Secret(text)
        self._leeway = leeway
        self._now = now
        self._shared = SharedToken(self._usable_until, now)

    def token(self, send: Send, refused: Secret | None, seconds: float) -> Secret:
        """Return a token that has not expired, and fetch one if there is none.

        Args:
            send: Sends the request to the endpoint.
            refused: A token that the service just refused with 401; another one is returned if there is one.
            seconds: How long the caller can wait.
        """
        cached = self._shared.cached(refused)
        if cached is not None:
            return cached
        with _required():
            # Checked before it is cached: one bad token must not fail every later call.
            return self._shared.get(
                lambda left: checked_token(send(TOKEN_CALL, self.session, left).value), refused, seconds
            )

    async def token_async(self, send: AsyncSend, refused: Secret | None, seconds: float) -> Secret:
        """Same as `token`, but for tasks."""
        cached = self._shared.cached(refused)
        if cached is not None:
            return cached

        async def fetch(left: float) -> Secret:
            return checked_token((await send(TOKEN_CALL, self.session, left)).value)

        with _required():
            return await self._shared.get_async(fetch, refused, seconds)

    def _usable_until(self, token: Secret) -> float:
        """Return when a token that was just received has to be replaced, in seconds since the epoch."""
        return usable_until(token, self._now(), self._leeway)

    def __repr__(self) -> str:
        return "TokenEndpoint(session=[redacted])"


@contextlib.contextmanager
def _required() -> Generator[None]:
    """Say of a token endpoint without a response that nothing is sent without its token."""
    try:
        yield
    except NotSentError:
        raise
    except TransportError as failure:
        raise NotSentError(f"there is no token: {failure.args[0]}", attempts=failure.attempts) from failure


def get_token(source: TokenSource | Secret, send: Send, refused: Secret | None, seconds: float) -> Secret:
    """Return a token for a `Client`.

    Args:
        source: The token source of the client. A function of the user is called in a thread, which is left alone at the deadline.
        send: Sends the call of a token endpoint.
        refused: A token that the service just refused.
        seconds: How long the call can wait.
    """
    if isinstance(source, TokenEndpoint):
        return source.token(send, refused, seconds)
    token = _token_of(source, refused) if seconds == math.inf else _token_in_time(source, refused, seconds)
    if isinstance(token, SecretText):
        token = token.get_secret_value()
    if isinstance(token, str):
        return Secret(token)
    if inspect.iscoroutine(token):
        token.close()
    kind = type(token).__name__
    del token  # error reporters show the locals of a frame
    raise UsageError(
        f"the source given as token returned a {kind}, not a string; an async function needs an AsyncClient"
    )


async def get_token_async(
    source: TokenSource | Secret, send: AsyncSend, refused: Secret | None, seconds: float
) -> Secret:
    """Same as `get_token`, but for an `AsyncClient`: the source may be asynchronous, and is then cancelled in time."""
    if isinstance(source, TokenEndpoint):
        return await source.token_async(send, refused, seconds)
    token = _token_of(source, refused)
    if inspect.isawaitable(token):
        import anyio  # a synchronous client does not need it

        with anyio.move_on_after(seconds) as scope:
            try:
                token = await token
            except StopAsyncIteration as error:
                raise _not_a_token(error) from error
        if scope.cancelled_caught:
            raise NotSentError(_NO_TOKEN)
    if isinstance(token, SecretText):
        token = token.get_secret_value()
    if isinstance(token, str):
        return Secret(token)
    kind = type(token).__name__
    del token
    raise UsageError(f"the source given as token returned a {kind}, not a string")


def _token_in_time(source: object, refused: Secret | None, seconds: float) -> Any:
    """Call a source within some seconds.

    Raises:
        NotSentError: It did not return in time.
    """
    try:
        return in_time(partial(_token_of, source, refused), seconds)
    except NotInTimeError:
        raise NotSentError(_NO_TOKEN) from None


def _not_a_token(error: Exception) -> UsageError:
    kind = type(error).__name__
    return UsageError(f"the source given as token raised {kind}, which ends an iteration; let it return a token")


def _token_of(source: object, refused: Secret | None) -> Any:
    """Return the token of a provider or a function, or an awaitable of one."""
    try:
        if is_token_provider(source):
            return source.token(refused.reveal() if refused is not None else None)
        if callable(source):
            return source()
    except (StopIteration, StopAsyncIteration) as error:
        raise _not_a_token(error) from error
    raise UsageError(
        f"token is a {type(source).__name__}; give a string, a function, a TokenProvider or a TokenEndpoint"
    )
