"""Token sources, how long their tokens are used, and that tokens are never shown."""

from __future__ import annotations

import base64
import contextvars
import json
import threading
import time
import traceback

import httpx
import pytest
from pydantic import SecretStr

from project_platform import (
    AuthenticationError,
    Client,
    DecodingError,
    NotSentError,
    RetryPolicy,
    ServerError,
    TimeoutError,
    TokenEndpoint,
    TokenProvider,
    UsageError,
)
from project_platform.calls.auth import expiry

SESSION = "session-credential"


def jwt(name="u1", **claims):
    parts = [json.dumps(part).encode() for part in ({"alg": "ES256"}, {"sub": name, **claims})]
    return ".".join([*(base64.urlsafe_b64encode(part).decode().rstrip("=") for part in parts), "c2ln"])


def nested_jwt(depth):
    """Return a token whose claims are nested too deeply to be read."""
    return f"h.{base64.urlsafe_b64encode(b'[' * depth + b']' * depth).decode().rstrip('=')}.s"


class Platform:
    """A service that issues tokens, and refuses all but the newest."""

    def __init__(self, clock, lifetime=600):
        self.clock, self.lifetime = clock, lifetime
        self.given, self.sessions, self.seen = [], [], []

    def __call__(self, request):
        credential = request.headers["authorization"].removeprefix("Bearer ")
        if request.url.path == "/prefix/api/auth/token":
            self.sessions.append(credential)
            self.given.append(jwt(f"u{len(self.given)}", exp=self.clock() + self.lifetime))
            return httpx.Response(200, json={"token": self.given[-1]})
        self.seen.append(credential)
        valid = self.given and credential == self.given[-1]
        return (
            httpx.Response(200, json={"allowed": True}) if valid else httpx.Response(401, json={"message": "expired"})
        )


@pytest.fixture
def platform(clock):
    return Platform(clock)


@pytest.fixture
def endpoint(clock):
    return TokenEndpoint(SESSION, now=clock)


@pytest.fixture
def ask(connect):
    """Return a function that makes a client with a token source and returns a function that calls the service."""

    def ask(source, platform):
        client = connect(token=source, transport=httpx.MockTransport(platform))
        return lambda: client.auth.check_permission("agents:read")

    return ask


def test_an_async_function_needs_an_async_client(connect, service, way):
    """A synchronous client refuses it, and closes the coroutine."""

    async def token():
        return "from-afar"

    client = connect(token=token)
    if way == "sync":
        with pytest.raises(UsageError, match="an async function needs an AsyncClient"):
            client.auth.check_permission("agents:read")
        return
    service.will(httpx.Response(200, json={"allowed": True}))

    assert client.auth.check_permission("agents:read")

    assert service.requests[0].headers["authorization"] == "Bearer from-afar"


def test_a_provider_receives_the_refused_token(connect, service):
    refused_tokens = []

    class Vault:
        def token(self, refused=None):
            refused_tokens.append(refused)
            return "new" if refused else "old"

    service.will(httpx.Response(401, json={"message": "expired"}), httpx.Response(200, json={"allowed": True}))
    vault = Vault()

    assert connect(token=vault).auth.check_permission("agents:read")

    assert isinstance(vault, TokenProvider)
    assert refused_tokens == [None, "old"]
    assert [request.headers["authorization"] for request in service.requests] == ["Bearer old", "Bearer new"]


@pytest.mark.parametrize("kind", [StopIteration, StopAsyncIteration])
def test_a_source_that_ends_an_iteration_is_named(connect, service, kind):
    """The exception would end a generator or a coroutine of the SDK, as a RuntimeError that names neither."""

    def exhausted():
        raise kind

    with pytest.raises(UsageError, match=f"the source given as token raised {kind.__name__}") as raised:
        connect(token=exhausted).auth.check_permission("agents:read")

    assert isinstance(raised.value.__cause__, kind)
    assert service.requests == []


def test_an_error_of_a_function_is_raised_unchanged(connect, service):
    """Also one of this SDK, as of a function that gets tokens from another client."""
    given = TimeoutError("no response in time")

    def failing():
        raise given

    with pytest.raises(TimeoutError) as raised:
        connect(token=failing).auth.check_permission("agents:read")

    assert raised.value is given
    assert service.requests == []


def test_a_function_that_blocks_is_left_alone_at_the_deadline(service):
    """A synchronous call ends in time, whatever its token source does, and has sent nothing."""
    go_on = threading.Event()
    transport = httpx.MockTransport(service)
    client = Client("https://platform.example", token=go_on.wait, transport=transport, retry=RetryPolicy(deadline=0.2))
    began = time.monotonic()

    with pytest.raises(NotSentError, match="returned no token before the deadline"):
        client.auth.check_permission("agents:read")

    assert time.monotonic() - began < 5
    go_on.set()


def test_a_token_function_sees_the_context_of_the_call(service):
    """A function that reads a context variable, such as the present user, reads that of the caller."""
    user = contextvars.ContextVar("user", default="nobody")
    user.set("u1")
    service.will(httpx.Response(200, json={"allowed": True}))
    client = Client("https://platform.example", token=user.get, transport=httpx.MockTransport(service))

    assert client.auth.check_permission("agents:read")

    assert service.requests[0].headers["authorization"] == "Bearer u1"


@pytest.mark.parametrize(
    ("source", "message"), [(lambda: None, "returned a NoneType"), (lambda: b"raw", "returned a bytes")]
)
def test_a_token_that_is_not_a_string_is_refused(connect, service, source, message):
    """The error names the type of the value, and not the value."""
    with pytest.raises(UsageError, match=f"the source given as token {message}, not a string"):
        connect(token=source).auth.check_permission("agents:read")

    assert service.requests == []


@pytest.mark.parametrize(("lifetime", "fresh"), [(600, 570), (59, 29.5), (20, 10), (2, 1)])
def test_a_token_is_reused_until_shortly_before_it_expires(ask, platform, endpoint, clock, *, lifetime, fresh):
    """It is renewed half a minute before, or after half of its life: a shorter one would be fetched for each call."""
    platform.lifetime = lifetime
    call = ask(endpoint, platform)

    call()
    clock.advance(0.98 * fresh)
    call()
    assert len(platform.given) == 1
    clock.advance(0.04 * fresh)
    call()

    assert platform.sessions == [SESSION, SESSION]
    assert platform.seen == [platform.given[0], platform.given[0], platform.given[1]]


def test_a_token_that_has_expired_on_receipt_is_used_until_it_is_refused(ask, platform, endpoint, clock):
    """A new token has not expired: the clock of this machine is ahead."""
    platform.lifetime = -3600
    call = ask(endpoint, platform)

    call()
    clock.advance(300)
    call()

    assert len(platform.given) == 1


@pytest.mark.parametrize(
    ("token", "expires"),
    [
        (jwt(exp=1_800_000_000), 1_800_000_000.0),
        (jwt(exp=1_800_000_000.5), 1_800_000_000.5),
        (jwt(exp="1800000000"), 1_800_000_000.0),
        (jwt(exp="soon"), None),
        (jwt(exp=None), None),
        (jwt(), None),
        (jwt(exp=10**400), None),
        (jwt(exp=float("inf")), None),
        (jwt(exp=float("nan")), None),
        (jwt(exp="1e999"), None),
        (jwt(exp=[]), None),
        (nested_jwt(100_000), None),
        ("opaque", None),
        ("a.b.c", None),
        ("a.W10.c", None),
        ("a.\xff.c", None),
        ("", None),
    ],
)
def test_the_expiry_is_read_from_the_token(token, expires):
    """A token that is not a JWT, or has no `exp`, has no known expiry."""
    assert expiry(token) == expires


@pytest.mark.parametrize(
    ("answer", "kind", "message"),
    [
        (httpx.Response(401, json={"message": "who are you?"}), AuthenticationError, "401 token: who are you?"),
        (httpx.Response(500), ServerError, "500 token"),
        (httpx.Response(200, text="<html>"), DecodingError, "token: the response 200 does not fit"),
        (httpx.Response(200, json={"jwt": "x"}), DecodingError, "token: the response 200 does not fit"),
        (httpx.Response(200, json=["x"]), DecodingError, "token: the response 200 does not fit"),
        (httpx.Response(200, json={"token": ""}), DecodingError, "token: the response 200 does not fit"),
        (httpx.Response(200, json={"token": "a b"}), UsageError, "token has white space"),
    ],
)
def test_the_error_of_a_failed_exchange_names_the_exchange(connect, service, answer, kind, message):
    service.will(answer)
    client = connect(token=TokenEndpoint(SESSION), retry=RetryPolicy(max_attempts=1))

    with pytest.raises(kind, match=message) as raised:
        client.auth.check_permission("agents:read")

    assert raised.value.applied == "no"
    assert SESSION not in "".join(traceback.format_exception(raised.value))
    assert all(request.url.path == "/prefix/api/auth/token" for request in service.requests)


def test_a_token_endpoint_without_a_session_is_refused():
    """An empty credential is usually a variable that was not set."""
    with pytest.raises(UsageError, match="session is empty"):
        TokenEndpoint("")
    with pytest.raises(UsageError, match="session is of type bytes"):
        TokenEndpoint(SESSION.encode())
    assert TokenEndpoint(SecretStr(SESSION)).session == TokenEndpoint(SESSION).session
