"""How a client is configured, what it may be given to send with, and how long it lives."""

from __future__ import annotations

import dataclasses
import socket
import threading
import types

import httpx
import pytest

from project_platform import (
    UNSET,
    Answer,
    AsyncClient,
    Client,
    NotSentError,
    Options,
    Response,
    RetryPolicy,
    ServerError,
    Timeout,
    UsageError,
)
from project_platform.calls.headers import Headers
from project_platform.transports.transport import AsyncTransport, Transport

ALLOWED = {"allowed": True}


def answer_once(listener):
    """Accept one connection, answer its request with a permission, and return the request."""
    connection, _ = listener.accept()
    with connection:
        requested = b""
        while b"\r\n\r\n" not in requested:
            requested += connection.recv(65536)
        connection.sendall(b'HTTP/1.1 200 OK\r\nContent-Length: 17\r\nConnection: close\r\n\r\n{"allowed": true}')
    return requested


@pytest.fixture
def kind(way):
    """The class of the client."""
    return Client if way == "sync" else AsyncClient


@pytest.fixture
def url_of(connect, service):
    """Return a function that gives the URL which a client with this base URL asks for."""

    def url_of(base_url, **options):
        service.will(httpx.Response(200, json=ALLOWED))
        assert connect(base_url, **options).auth.check_permission("agents:read")
        return str(service.requests[-1].url)

    return url_of


@pytest.mark.parametrize(
    ("base_url", "requested"),
    [
        ("https://platform.example", "https://platform.example/auth/check-permission"),
        ("https://platform.example/", "https://platform.example/auth/check-permission"),
        ("https://platform.example/v1/", "https://platform.example/v1/auth/check-permission"),
        ("https://platform.example:8443/a/b//", "https://platform.example:8443/a/b/auth/check-permission"),
        ("http://localhost:8080", "http://localhost:8080/auth/check-permission"),
        ("http://stub.localhost", "http://stub.localhost/auth/check-permission"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/auth/check-permission"),
        ("http://127.8.9.1", "http://127.8.9.1/auth/check-permission"),
        ("http://[::1]:8080", "http://[::1]:8080/auth/check-permission"),
    ],
)
def test_the_base_url_is_what_paths_are_put_behind(url_of, base_url, requested):
    """A path prefix stays, a trailing slash makes no difference, and this machine may be called without TLS."""
    assert url_of(base_url) == f"{requested}?permission=agents%3Aread"


@pytest.mark.parametrize(
    ("base_url", "message"),
    [
        ("http://platform.example", "unencrypted; use https, or pass allow_insecure=True"),
        ("http://localhost.evil.example", "unencrypted"),
        ("http://127.0.0.1.evil.example", "unencrypted"),
        ("http://0.0.0.0:8080", "unencrypted"),
        ("platform.example", "not a URL such as https://platform.example"),
        ("ftp://platform.example", "not a URL such as"),
        ("https://", "not a URL such as"),
        ("https://[::1", "is not a URL"),
        ("https://platform.example:port", "is not a URL"),
        ("https://platform.example/?tenant=1", "has a query or a fragment"),
        ("https://platform.example/#top", "has a query or a fragment"),
        ("https://platform.example/a b", "characters that are not allowed in a URL"),
        ("https://platförm.example", "characters that are not allowed in a URL"),
        ("", "give base_url, or set PROJECT_PLATFORM_BASE_URL"),
    ],
)
def test_a_base_url_that_cannot_be_meant_is_refused(kind, token, base_url, message):
    """The error is raised when the client is created, and says what to give."""
    with pytest.raises(UsageError, match=message):
        kind(base_url, token=token)


def test_an_insecure_base_url_can_be_insisted_on(url_of):
    """`allow_insecure=True` permits http, as in a closed network."""
    assert url_of("http://platform.internal", allow_insecure=True).startswith("http://platform.internal/")


@pytest.mark.parametrize(
    ("base_url", "message"),
    [
        ("https://user:s3cret@platform.example", "user name or a password; give the credential as token"),
        ("https://s3cret@platform.example", "user name or a password"),
        ("https://user:s3cret@platform.example:port", "is not a URL"),
        ("user:s3cret@platform.example", "not a URL such as"),
        ("https://platform.example/?token=s3cret", "has a query"),
    ],
)
def test_credentials_in_the_base_url_are_refused_and_not_shown(kind, token, base_url, message):
    """They would be in every error and log line."""
    with pytest.raises(UsageError, match=message) as raised:
        kind(base_url, token=token)

    assert "s3cret" not in str(raised.value)


def test_the_environment_is_asked_for_what_is_not_given(service, monkeypatch, project_id, connect):
    """Base URL, token and project; an argument takes precedence over the environment."""
    monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", "https://environment.example")
    monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", "environment-token")
    monkeypatch.setenv("PROJECT_PLATFORM_PROJECT", project_id)
    service.will(*[httpx.Response(200, json={"config": None})] * 2)
    other = "11111111-1111-4111-8111-111111111111"

    assert connect(None, token=None).project().web_analytics.get_config() is None
    connect("https://argument.example", token="argument-token", project_id=other).project().web_analytics.get_config()

    first, second = service.requests
    assert str(first.url) == f"https://environment.example/web-analytics/config/{project_id}"
    assert first.headers["authorization"] == "Bearer environment-token"
    assert str(second.url) == f"https://argument.example/web-analytics/config/{other}"
    assert second.headers["authorization"] == "Bearer argument-token"


def test_what_is_missing_is_named(kind, client, token):
    """The error names the argument and the environment variable."""
    with pytest.raises(UsageError, match="no base URL: give base_url, or set PROJECT_PLATFORM_BASE_URL"):
        kind(token=token)
    with pytest.raises(UsageError, match="no token: give token, or set PROJECT_PLATFORM_TOKEN"):
        kind("https://platform.example")
    with pytest.raises(UsageError, match="no project: give project_id, or set PROJECT_PLATFORM_PROJECT"):
        client.project()


@pytest.mark.parametrize("token", ["", "Bearer abc", "abc\n", " abc", "a\0b", "tökén"])
def test_a_token_that_cannot_be_meant_is_refused(kind, token):
    """The error says how to give it, and does not show it."""
    with pytest.raises(UsageError, match=r"token .*; give the token alone, without 'Bearer' and line breaks") as raised:
        kind("https://platform.example", token=token)

    assert not token or token not in str(raised.value)


def test_a_token_of_another_type_is_refused(connect, service):
    """The error says what to give, and does not show the value."""
    with pytest.raises(UsageError, match="token is of type int; give a text, a function or a TokenProvider"):
        connect(token=12345).auth.check_permission("agents:read")

    assert service.requests == []


def test_an_object_with_a_token_that_is_no_method_is_refused_at_construction(kind):
    """A `TokenProvider` is what has a callable `token`: a settings object with a text of that name is none."""
    settings = types.SimpleNamespace(token="abc.def.ghi")

    with pytest.raises(
        UsageError, match="SimpleNamespace, whose attribute `token` is not a method; give a text"
    ) as raised:
        kind("https://platform.example", token=settings)

    assert "abc.def.ghi" not in str(raised.value)


def test_a_class_of_token_providers_is_refused_at_construction(kind):
    """A class can be called as a function can, and would give a provider where a token is needed."""

    class Vault:
        def token(self, refused=None):
            return "abc"

    with pytest.raises(UsageError, match="token is the class Vault; give an instance of it"):
        kind("https://platform.example", token=Vault)


@pytest.mark.parametrize(
    ("headers", "message"),
    [
        (
            {"Authorization": "Bearer x"},
            "headers has Authorization, which the SDK sets itself; .* give a credential as token",
        ),
        ({"content-type": "text/plain"}, "headers has content-type"),
        ({"Host": "evil.example"}, "headers has Host"),
        ({"X-Trace\n": "1"}, "which is not allowed in HTTP"),
        ({"X Trace": "1"}, "which is not allowed in HTTP"),
        ({"X(Trace)": "1"}, "which is not allowed in HTTP"),
        ({"": "1"}, "which is not allowed in HTTP"),
        ({"X-Trace": "s3cret\r\nEvil: 1"}, "characters that a header cannot carry"),
        ({"X-Trace": "s3cret\0"}, "characters that a header cannot carry"),
        ({"X-Trace": "s3cret\x0b1"}, "characters that a header cannot carry"),
        ({"X-Trace": "s3cret "}, "characters that a header cannot carry"),
        ({"X-Name": "größe"}, "characters that a header cannot carry; percent-encode"),
        ({"X-Trace": 7}, "X-Trace.* is of type int; names and values are text"),
    ],
)
def test_headers_are_checked(kind, token, headers, message):
    """A second credential and injected header lines are refused; the value is not shown."""
    with pytest.raises(UsageError, match=message) as raised:
        kind("https://platform.example", token=token, headers=headers)

    assert "s3cret" not in str(raised.value)


@pytest.mark.parametrize(
    ("timeout", "message"),
    [
        (0, "timeout is 0 for connect"),
        (-1, "timeout is -1"),
        (float("nan"), "timeout is nan"),
        (Timeout(read=0), "for read"),
    ],
)
def test_a_timeout_that_makes_no_sense_is_refused(kind, token, timeout, message):
    """A timeout has to be greater than 0."""
    with pytest.raises(UsageError, match=message):
        kind("https://platform.example", token=token, timeout=timeout)


@pytest.fixture
def seen(connect, service):
    """Return a function that gives the timeouts and headers of a request with these settings."""

    def seen(options=None, call_options=None):
        service.will(httpx.Response(200, json=ALLOWED))
        connect(**(options or {})).auth.check_permission("agents:read", options=call_options)
        request = service.requests[-1]
        return request.extensions["timeout"], request.headers

    return seen


def test_every_request_says_what_it_wants_and_who_asks(seen, token):
    """Besides the token, it has the accepted type, the user agent and the caller's headers."""
    _, headers = seen({"headers": {"X-Tenant": "t1"}})

    assert headers["authorization"] == f"Bearer {token}"
    assert headers["accept"] == "application/json"
    assert headers["user-agent"].startswith("project-platform/")
    assert headers["x-tenant"] == "t1"


def test_a_timeout_is_for_each_step_or_for_each_its_own(seen):
    """A number is the timeout of each step."""
    assert seen({"timeout": 3})[0] == {"connect": 3, "read": 3, "write": 3, "pool": 3}
    assert seen({"timeout": Timeout(connect=1, read=2, write=3, pool=4)})[0] == {
        "connect": 1,
        "read": 2,
        "write": 3,
        "pool": 4,
    }
    assert seen()[0] == {"connect": 5, "read": 30, "write": 30, "pool": 5}


def test_one_call_can_do_things_differently(seen, service, project):
    """Options are for one call; options that are left out are those of the client."""
    timeout, headers = seen({"headers": {"X-A": "1", "X-B": "1"}}, Options(timeout=9, headers={"x-b": "2"}))
    service.will(httpx.Response(503))
    with pytest.raises(ServerError) as raised:
        project.posts.list(options=Options(retry=RetryPolicy(max_attempts=1)))

    assert timeout["read"] == 9
    assert (headers["x-a"], headers["x-b"]) == ("1", "2")
    assert len(raised.value.attempts) == 1


def test_a_view_does_things_differently_and_shares_the_connections(client, service):
    """The client is not altered, and closing the view closes nothing."""
    service.will(httpx.Response(503), *[httpx.Response(200, json=ALLOWED)] * 2)

    with client.with_options(retry=RetryPolicy(max_attempts=1), headers={"X-View": "1"}, timeout=UNSET) as view:
        with pytest.raises(ServerError):
            view.auth.check_permission("agents:read")
    assert client.auth.check_permission("agents:read")
    assert view.auth.check_permission("agents:read")

    assert ["x-view" in request.headers for request in service.requests] == [True, False, True]


def test_a_view_ends_with_its_client(connect):
    """A view of a closed client is closed."""
    client = connect()
    view = client.with_options(timeout=1)

    client.close()

    for closed in (client, view):
        with pytest.raises(UsageError, match="the client is closed"):
            closed.auth.check_permission("agents:read")


def test_any_call_can_be_sent_and_its_answer_looked_at(client, service, a_call):
    """The answer has status, headers, attempts and `applied` besides the value."""
    service.will(httpx.Response(503), httpx.Response(202, content=b"done", headers={"X-Request-Id": "r1"}))

    answer = client.send(a_call("safe", "write", method="PUT", body=b"{}"))

    assert isinstance(answer, Answer)
    assert (answer.value, answer.status, answer.applied) == (b"done", 202, "yes")
    assert answer.headers["x-request-id"] == "r1"
    assert [(a.delivery, a.status, a.request_id) for a in answer.attempts] == [
        ("lost", 503, None),
        ("applied", 202, "r1"),
    ]


def test_a_call_can_be_sent_with_options(client, service, a_call):
    """`send` accepts the same options as a method."""
    service.will(httpx.Response(503))

    with pytest.raises(ServerError):
        client.send(a_call(), options=Options(retry=RetryPolicy(max_attempts=1)))


def test_nothing_shows_the_token(client, project, token):
    """Representations have the type and the base URL only."""
    shown = f"{client!r} {project!r} {client.with_options(timeout=1)!r} {project.agents!r}"

    assert token not in shown
    assert "https://platform.example/prefix>" in shown
    assert f"{project.id}>" in shown


def test_a_transport_that_was_given_stays_open(connect, service):
    """The client does not close it."""

    class Carrier(httpx.MockTransport):
        closed = 0

        def close(self):
            self.closed += 1

        async def aclose(self):
            self.closed += 1

    carrier = Carrier(service)
    connect(transport=carrier).close()

    assert carrier.closed == 0


def test_an_httpx_client_keeps_its_own_ways_but_for_two(connect, service, way, token):
    """Its headers and cookies are sent; its credential is not sent, and redirects are not followed."""
    made = httpx.Client if way == "sync" else httpx.AsyncClient
    own = made(
        transport=httpx.MockTransport(service),
        headers={"X-Own": "1"},
        cookies={"c": "2"},
        auth=("user", "password"),
        follow_redirects=True,
    )
    service.will(httpx.Response(302, headers={"Location": "https://evil.example/"}), httpx.Response(200, json=ALLOWED))
    client = connect(transport=own)

    with pytest.raises(Exception, match="not followed"):
        client.auth.check_permission("agents:read")
    assert client.auth.check_permission("agents:read")

    assert [request.url.host for request in service.requests] == ["platform.example"] * 2
    assert service.requests[1].headers["authorization"] == f"Bearer {token}"
    assert (service.requests[1].headers["x-own"], service.requests[1].headers["cookie"]) == ("1", "c=2")
    assert not own.is_closed
    client.close()
    assert not own.is_closed


def test_an_object_with_two_methods_will_do(connect, way):
    """The protocol of a transport is `send(request)`, which returns a response or an error, and `close()`."""
    sent = []

    class Own:
        def send(self, request):
            sent.append(request)
            return (
                NotSentError("the line is dead") if len(sent) == 1 else Response(200, Headers(), b'{"allowed": true}')
            )

        def close(self):
            raise AssertionError("it was not ours to close")

    class AsyncOwn(Own):
        async def send(self, request):
            return super().send(request)

        aclose = Own.close

    own = Own() if way == "sync" else AsyncOwn()
    client = connect(transport=own)

    assert client.auth.check_permission("agents:read")

    assert isinstance(own, Transport if way == "sync" else AsyncTransport)
    assert (
        sent[0].url == sent[1].url == "https://platform.example/prefix/auth/check-permission?permission=agents%3Aread"
    )
    assert sent[0].timeout == dataclasses.replace(Timeout(), total=sent[0].timeout.total)


@pytest.mark.parametrize("given", [object(), "https://proxy.example", httpx.Request, 7])
def test_what_cannot_send_is_refused(connect, given):
    """The error names the types that can."""
    with pytest.raises(UsageError, match=r"transport is of type \w+; give an httpx\.\w*BaseTransport"):
        connect(transport=given)


def test_a_transport_of_the_other_kind_is_refused_with_the_way_out(connect, way):
    """A synchronous client needs a synchronous transport, and an asynchronous client an asynchronous one."""
    wrong = httpx.AsyncHTTPTransport() if way == "sync" else httpx.HTTPTransport()
    other = "AsyncClient" if way == "sync" else "Client"

    with pytest.raises(UsageError, match=f"synchronous {type(wrong).__name__}; give it to an? {other}"):
        connect(transport=wrong)


def test_a_proxy_of_the_environment_is_used(connect, monkeypatch):
    """As with every HTTP client, the proxy receives an http request with the whole URL."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as proxy:
        thread = threading.Thread(target=lambda: heard.append(answer_once(proxy)))
        thread.start()
        monkeypatch.setenv("HTTP_PROXY", "http://{}:{}".format(*proxy.getsockname()))
        client = connect("http://platform.internal", allow_insecure=True, transport=None)

        assert client.auth.check_permission("agents:read")
        thread.join(5)

    assert heard[0].startswith(
        b"GET http://platform.internal/auth/check-permission?permission=agents%3Aread HTTP/1.1\r\n"
    )
