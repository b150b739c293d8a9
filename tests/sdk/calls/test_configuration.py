"""The base URL, token, headers and timeouts of a client are checked when it is created; the error names the argument."""

from __future__ import annotations

import types

import httpx
import pytest
from pydantic import SecretStr

from project_platform import AsyncClient, Client, Timeout, UsageError

ALLOWED = {"allowed": True}


@pytest.fixture
def kind(way):
    """The class of the client."""
    return Client if way == "sync" else AsyncClient


@pytest.fixture
def url_of(connect, service):
    """Return a function that returns the URL that a client with this base URL requests."""

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
        ("https://platform_1.example:/", "https://platform_1.example/auth/check-permission"),
        ("https://[2001:db8::1]:8443/", "https://[2001:db8::1]:8443/auth/check-permission"),
        ("https://platform.example/v1/", "https://platform.example/v1/auth/check-permission"),
        ("https://platform.example:8443/a/b//", "https://platform.example:8443/a/b/auth/check-permission"),
        ("http://localhost:8080", "http://localhost:8080/auth/check-permission"),
        ("http://stub.localhost", "http://stub.localhost/auth/check-permission"),
        ("http://127.0.0.1:8080", "http://127.0.0.1:8080/auth/check-permission"),
        ("http://127.8.9.1", "http://127.8.9.1/auth/check-permission"),
        ("http://[::1]:8080", "http://[::1]:8080/auth/check-permission"),
    ],
)
def test_paths_are_appended_to_the_base_url(url_of, base_url, requested):
    """A path prefix is preserved, a trailing slash is ignored, and loopback addresses may use http."""
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
        ("https://platform.example\\.evil.example", "characters in its host that no host has"),
        ("https://platform.example;.evil.example", "characters in its host that no host has"),
        ("https://platform.example%2f.evil.example/", "characters in its host that no host has"),
        ("https://platform.example/a b", "characters that are not allowed in a URL"),
        ("https://platförm.example", "characters that are not allowed in a URL"),
        ("", "give base_url, or set PROJECT_PLATFORM_BASE_URL"),
    ],
)
def test_an_invalid_base_url_is_refused(kind, token, base_url, message):
    """The error is raised when the client is created, and names the accepted form."""
    with pytest.raises(UsageError, match=message):
        kind(base_url, token=token)


def test_allow_insecure_permits_an_http_base_url(url_of):
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
    """Errors and log lines would show them."""
    with pytest.raises(UsageError, match=message) as raised:
        kind(base_url, token=token)

    assert "s3cret" not in str(raised.value)


def test_missing_arguments_are_read_from_the_environment(service, monkeypatch, project_id, connect):
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


def test_a_missing_setting_is_named(kind, client, token):
    """The error names the argument and the environment variable."""
    with pytest.raises(UsageError, match="no base URL: give base_url, or set PROJECT_PLATFORM_BASE_URL"):
        kind(token=token)
    with pytest.raises(UsageError, match="no token: give token, or set PROJECT_PLATFORM_TOKEN"):
        kind("https://platform.example")
    with pytest.raises(UsageError, match="no project: give project_id, or set PROJECT_PLATFORM_PROJECT"):
        client.project()


@pytest.mark.parametrize("token", ["", "Bearer abc", "abc\n", " abc", "a\0b", "tökén"])
def test_an_invalid_token_is_refused(kind, token):
    """The error names the accepted form, and does not show the token."""
    with pytest.raises(UsageError, match=r"token .*; give the token alone, without 'Bearer' and line breaks") as raised:
        kind("https://platform.example", token=token)

    assert not token or token not in str(raised.value)


def test_a_token_of_another_type_is_refused(connect, service):
    """The error names the accepted types, and does not show the value."""
    with pytest.raises(UsageError, match="token is of type int; give a string, a function or a TokenProvider"):
        connect(token=12345).auth.check_permission("agents:read")

    assert service.requests == []


def test_an_object_whose_token_is_not_a_method_is_refused_at_construction(kind):
    """A `TokenProvider` has a method `token`; a settings object with a string of that name is not a provider."""
    settings = types.SimpleNamespace(token="abc.def.ghi")

    with pytest.raises(
        UsageError, match="SimpleNamespace, whose attribute `token` is not a method; give a string"
    ) as raised:
        kind("https://platform.example", token=settings)

    assert "abc.def.ghi" not in str(raised.value)


def test_a_class_of_token_providers_is_refused_at_construction(kind):
    """A class is callable, and would return a provider instead of a token."""

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
        ({"X-Trace": 7}, "X-Trace.* is of type int; names and values must be strings"),
        ([("X-Trace", "s3cret")], "headers is of type list; give a dict with strings as names and values"),
    ],
)
def test_invalid_and_reserved_headers_are_refused(kind, token, headers, message):
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
def test_an_invalid_timeout_is_refused(kind, token, timeout, message):
    """A timeout has to be greater than 0."""
    with pytest.raises(UsageError, match=message):
        kind("https://platform.example", token=token, timeout=timeout)


@pytest.mark.parametrize(
    ("limit", "message"),
    [
        (0, "is 0; give 1 or more, or None for no limit"),
        (-1, "is -1; give 1 or more"),
        (True, "is of type bool; give a number of bytes"),
        (1.5, "is of type float"),
        ("1 MB", "is of type str"),
    ],
)
def test_an_invalid_limit_of_answers_is_refused(kind, token, limit, message):
    """The limit is a number of bytes."""
    with pytest.raises(UsageError, match=f"max_response_bytes {message}"):
        kind("https://platform.example", token=token, max_response_bytes=limit)


def test_a_secret_of_pydantic_is_a_token(connect, service, token):
    """Settings of a program keep their token in a `SecretStr`, which is checked and sent like a string."""
    service.will(httpx.Response(200, json=ALLOWED))

    connect(token=SecretStr(token)).auth.check_permission("agents:read")

    assert service.requests[-1].headers["authorization"] == f"Bearer {token}"
    with pytest.raises(UsageError, match="token has white space"):
        connect(token=SecretStr("two words"))
