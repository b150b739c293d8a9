"""The proxy of the environment: which one is used, and that one that cannot be used is refused at construction."""

from __future__ import annotations

import importlib.util

import pytest

from project_platform import AsyncClient, Client, UsageError
from project_platform.transports.proxies import Proxy, environment_proxy


@pytest.mark.parametrize(
    ("variables", "base_url", "host"),
    [
        ({}, "https://platform.example", None),
        ({"HTTPS_PROXY": "http://p1:3128"}, "https://platform.example", "p1"),
        ({"https_proxy": "http://p1:3128"}, "https://platform.example/prefix", "p1"),
        ({"HTTPS_PROXY": "http://p1:3128"}, "http://platform.example", None),
        ({"HTTP_PROXY": "http://p1:3128"}, "http://platform.example", "p1"),
        ({"ALL_PROXY": "http://p1:3128"}, "https://platform.example", "p1"),
        ({"ALL_PROXY": "http://p1:3128", "HTTPS_PROXY": "http://p2"}, "https://platform.example", "p2"),
        ({"ALL_PROXY": "http://p1", "NO_PROXY": "example"}, "https://platform.example", None),
        ({"ALL_PROXY": "http://p1", "NO_PROXY": "platform.example:8443"}, "https://platform.example:8443", None),
        ({"ALL_PROXY": "http://p1", "NO_PROXY": "other.example"}, "https://platform.example", "p1"),
        ({"ALL_PROXY": "http://p1", "NO_PROXY": "*"}, "https://platform.example", None),
        ({"ALL_PROXY": "http://p1"}, "https://localhost:8443", None),
        ({"ALL_PROXY": "http://p1"}, "http://stub.localhost", None),
        ({"ALL_PROXY": "http://p1"}, "http://127.0.0.1:8000", None),
        ({"ALL_PROXY": "http://p1"}, "http://[::1]:8000", None),
        # A CGI script's HTTP_PROXY may be the request's header `Proxy`.
        ({"HTTP_PROXY": "http://p1", "REQUEST_METHOD": "GET"}, "http://platform.example", None),
    ],
)
def test_the_variable_for_the_scheme_decides(monkeypatch, variables, base_url, host):
    """As for curl and httpx; a host on this machine is never behind a proxy."""
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    proxy = environment_proxy(base_url)

    assert (proxy.host if proxy else None) == host


@pytest.mark.parametrize(
    ("url", "expected"),
    [
        ("http://p1", Proxy("http", "p1", 80)),
        ("p1:3128", Proxy("http", "p1", 3128)),
        ("https://p1", Proxy("https", "p1", 443)),
        ("socks5://p1", Proxy("socks5", "p1", 1080)),
        ("socks5h://p1:1", Proxy("socks5", "p1", 1)),
        ("http://[2001:db8::1]:3128", Proxy("http", "2001:db8::1", 3128)),
        ("http://me:p%40ss@p1:3128/", Proxy("http", "p1", 3128, "me", "p@ss")),
        ("http://me@p1", Proxy("http", "p1", 80, "me")),
    ],
)
def test_a_proxy_is_read_from_its_url(url, expected):
    assert Proxy.of(url, "ALL_PROXY") == expected


@pytest.mark.parametrize("client", [Client, AsyncClient])
@pytest.mark.parametrize("transport", [None, "httpx"])
@pytest.mark.parametrize(
    ("url", "message"),
    [
        ("socks4://me:hunter22@p1", "has the scheme 'socks4'; give a URL such as"),
        ("ftp://me:hunter22@p1", "has the scheme 'ftp'"),
        ("http://me:hunter22@p1:99999", "is not a URL of a proxy"),
        ("http://me:hunter22@p1:port", "is not a URL of a proxy"),
        ("http://me:hunter22@[::1", "is not a URL of a proxy"),
        ("http://me:hunter22@", "does not name the host of a proxy"),
        ("http://me:hunter22@a host", "does not name the host of a proxy"),
        ("socks5://me:" + "hunter22" * 40 + "@p1", "more than 255 bytes"),
    ],
)
def test_a_proxy_that_cannot_be_used_is_refused_at_construction(monkeypatch, client, transport, url, message):
    """The error names the variable and the way out, and does not show the password."""
    monkeypatch.setenv("HTTPS_PROXY", url)

    with pytest.raises(UsageError, match="HTTPS_PROXY") as refusal:
        client("https://platform.example", token="t", transport=transport)

    assert message in str(refusal.value)
    assert "hunter22" not in repr(refusal.value)


def test_a_socks_proxy_without_its_package_is_refused_with_the_way_to_install_it(
    monkeypatch,
):
    monkeypatch.setenv("ALL_PROXY", "socks5://p1")
    found = importlib.util.find_spec
    monkeypatch.setattr(
        importlib.util, "find_spec", lambda name, *rest: None if name == "socksio" else found(name, *rest)
    )

    with pytest.raises(UsageError, match=r"ALL_PROXY .*project-platform\[socks\]"):
        Client("https://platform.example", token="t")
