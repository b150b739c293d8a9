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


class Vault:
    """A provider, whose class is callable as well, and would return a provider instead of a token."""

    def token(self, refused=None):
        return "s3cret"


URLS = [
    (httpx.URL("https://platform.example"), r"base_url is of type URL; give a string, such as str\(url\)"),
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
    ("", "no base URL: give base_url, or set PROJECT_PLATFORM_BASE_URL"),
    ("https://user:s3cret@platform.example", "user name or a password; give the credential as token"),
    ("https://s3cret@platform.example", "user name or a password"),
    ("https://user:s3cret@platform.example:port", "is not a URL"),
    ("user:s3cret@platform.example", "not a URL such as"),
    ("https://platform.example/?token=s3cret", "has a query"),
]
TOKENS = [
    (None, "no token: give token, or set PROJECT_PLATFORM_TOKEN"),
    *(
        (token, "token .*; give the token alone, without 'Bearer' and line breaks")
        for token in ("", "Bearer s3cret", "s3cret\n", " s3cret", "s3cret\0b", "s3cretö", SecretStr("s3cret words"))
    ),
    (types.SimpleNamespace(token="s3cret"), "SimpleNamespace, whose attribute `token` is not a method; give a string"),
    (Vault, "token is the class Vault; give an instance of it"),
    (12345, "token is of type int; give a string, a function or a TokenProvider"),
]
HEADERS = [
    ({"Authorization": "Bearer s3cret"}, "has Authorization, which the SDK sets itself; .* give a credential as token"),
    ({"content-type": "text/plain"}, "headers has content-type"),
    ({"Host": "evil.example"}, "headers has Host"),
    *(({name: "1"}, "which is not allowed in HTTP") for name in ("X-Trace\n", "X Trace", "X(Trace)", "")),
    *(
        ({"X-Trace": value}, "characters that a header cannot carry")
        for value in ("s3cret\r\nEvil: 1", "s3cret\0", "s3cret\x0b1", "s3cret ")
    ),
    ({"X-Name": "größe"}, "characters that a header cannot carry; percent-encode"),
    ({"X-Trace": 7}, "X-Trace.* is of type int; names and values must be strings"),
    ([("X-Trace", "s3cret")], "headers is of type list; give a dict with strings as names and values"),
]
TIMEOUTS = [
    (0, "timeout is 0 for connect"),
    (-1, "timeout is -1"),
    (float("nan"), "timeout is nan"),
    (Timeout(read=0), "for read"),
    (Timeout(read=None), r"timeout is None for read; give seconds; float\('inf'\) is no limit"),
    (Timeout(total="5"), "timeout is '5' for total"),
]
LIMITS = [
    (0, "max_response_bytes is 0; give 1 or more, or None for no limit"),
    (-1, "max_response_bytes is -1; give 1 or more"),
    (True, "max_response_bytes is of type bool; give a number of bytes"),
    (1.5, "max_response_bytes is of type float"),
    ("1 MB", "max_response_bytes is of type str"),
]
REFUSED = {
    "base_url": URLS,
    "token": TOKENS,
    "headers": HEADERS,
    "timeout": TIMEOUTS,
    "max_response_bytes": LIMITS,
    "on_event": [(7, "on_event"), ("print", "on_event")],
    # Such as the text of an environment variable, which would be true.
    "allow_insecure": [("false", "allow_insecure is of type str; give True"), (1, "is of type int; give True")],
    "verify": [("ca.pem", "verify is of type str; give True"), (None, "is of type NoneType; give True")],
    "capabilities": [({"merge": "deep"}, "capabilities is of type dict; give Capabilities, or the path of a file")],
}


@pytest.mark.parametrize(
    ("argument", "value", "message"),
    [(argument, value, message) for argument, cases in REFUSED.items() for value, message in cases],
)
def test_an_argument_that_cannot_be_used_is_refused_at_construction(kind, token, argument, value, message):
    """The error names the argument and the accepted form, and does not show a credential."""
    given = {"base_url": "https://platform.example", "token": token, argument: value}

    with pytest.raises(UsageError, match=message) as raised:
        kind(**given)

    assert "s3cret" not in str(raised.value)


def test_allow_insecure_permits_an_http_base_url(url_of):
    assert url_of("http://platform.internal", allow_insecure=True).startswith("http://platform.internal/")


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


def test_a_missing_project_is_named(client):
    with pytest.raises(UsageError, match="no project: give project_id, or set PROJECT_PLATFORM_PROJECT"):
        client.project()


def test_a_secret_of_pydantic_is_a_token(connect, service, token):
    """Settings of a program keep their token in a `SecretStr`, which is checked and sent like a string."""
    for source in (SecretStr(token), lambda: SecretStr(token)):
        service.will(httpx.Response(200, json=ALLOWED))
        connect(token=source).auth.check_permission("agents:read")
        assert service.requests[-1].headers["authorization"] == f"Bearer {token}"
