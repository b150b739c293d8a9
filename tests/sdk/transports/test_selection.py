"""The `transport` argument of a client takes httpx transports, httpx clients and objects with two methods."""

from __future__ import annotations

import dataclasses
import http.client
import re
import socket

import httpx
import pytest
import requests

from project_platform import NotSentError, Response, Timeout, UsageError
from project_platform.calls.headers import Headers
from project_platform.transports.transport import AsyncTransport, Transport

ALLOWED = {"allowed": True}


def test_an_httpx_client_keeps_its_settings_except_credentials_and_redirects(connect, service, way, token):
    """Its headers and parameters are sent; its cookies and its credential are not, and redirects are not followed."""
    made = httpx.Client if way == "sync" else httpx.AsyncClient
    own = made(
        transport=httpx.MockTransport(service),
        headers={"X-Own": "1"},
        params={"p": "3"},
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
    assert service.requests[1].headers["x-own"] == "1"
    assert dict(service.requests[1].url.params) == {"permission": "agents:read", "p": "3"}
    assert "cookie" not in service.requests[1].headers
    assert not own.is_closed
    client.close()
    assert not own.is_closed


def test_a_cookie_among_the_headers_of_an_httpx_client_is_sent(connect, service, way):
    """Who needs one at a gateway says so."""
    made = httpx.Client if way == "sync" else httpx.AsyncClient
    service.will(httpx.Response(200, json=ALLOWED))
    client = connect(transport=made(transport=httpx.MockTransport(service), headers={"Cookie": "gateway=1"}))

    assert client.auth.check_permission("agents:read")

    assert service.requests[0].headers["cookie"] == "gateway=1"


def test_an_object_with_send_and_close_is_a_transport(connect, way):
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


FOREIGN = {
    "object": object,
    "type": lambda: httpx.Request,
    "int": int,
    "httpx.Response": lambda: httpx.Response(200),
    "requests.Session": requests.Session,
    "http.HTTPConnection": lambda: http.client.HTTPConnection("platform.example"),
    "socket.socket": socket.socket,
}


@pytest.mark.parametrize("name", FOREIGN)
def test_an_object_that_is_not_a_transport_is_refused(connect, name):
    """The error names the types that can. A session of requests and a socket have `send` and `close`, too."""
    given = FOREIGN[name]()

    with pytest.raises(UsageError, match=rf"transport is of type {re.escape(name)}; give an httpx\.\w*BaseTransport"):
        connect(transport=given)

    if hasattr(given, "close"):
        given.close()


@pytest.mark.parametrize("place", ["transport", "PROJECT_PLATFORM_TRANSPORT"])
def test_a_transport_with_another_name_is_refused(connect, monkeypatch, place):
    if place != "transport":
        monkeypatch.setenv(place, "https://proxy.example")

    with pytest.raises(UsageError, match=f"{place} is 'https://proxy.example'; .* is 'httpx'"):
        connect(transport="https://proxy.example" if place == "transport" else None)


@pytest.mark.parametrize("place", ["transport", "PROJECT_PLATFORM_TRANSPORT"])
def test_httpx_can_be_chosen_by_its_name(connect, monkeypatch, way, place):
    """Requests then go through a client of httpx, where instrumentations and mocks find them; it is closed with ours."""
    seen, closed = [], []

    def handle(self, request):
        seen.append(request)
        return httpx.Response(200, json=ALLOWED, headers={"set-cookie": "a=b; Path=/"})

    async def handle_async(self, request):
        return handle(self, request)

    def close(self):
        closed.append(self)

    async def aclose(self):
        close(self)

    monkeypatch.setattr(httpx.HTTPTransport, "handle_request", handle)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "handle_async_request", handle_async)
    monkeypatch.setattr(httpx.HTTPTransport, "close", close)
    monkeypatch.setattr(httpx.AsyncHTTPTransport, "aclose", aclose)
    if place != "transport":
        monkeypatch.setenv(place, "httpx")
    client = connect(transport="httpx" if place == "transport" else None)

    assert [client.auth.check_permission("agents:read") for _ in range(2)] == [True, True]
    client.close()

    assert len(closed) == 1
    assert not any("cookie" in request.headers for request in seen)


@pytest.mark.parametrize("transport", [None, "httpx"])
@pytest.mark.parametrize("local", [True, False])
def test_the_proxy_of_the_environment_is_used(connect, serve, monkeypatch, local, transport):
    """It receives the whole URL; but not for this machine: plain http is allowed for it, and the proxy may be on another."""
    heads = []

    def permit(line):
        heads.append(line.request()[0])
        line.send(b'HTTP/1.1 200 OK\r\ncontent-length: 17\r\n\r\n{"allowed": true}')

    proxy, service = serve(permit), serve(permit)
    monkeypatch.setenv("HTTP_PROXY", f"http://127.0.0.1:{proxy.port}")
    base_url = f"http://127.0.0.1:{service.port}" if local else "http://platform.internal"
    client = connect(base_url, allow_insecure=True, transport=transport)

    assert client.auth.check_permission("agents:read")

    assert (proxy.opened, service.opened) == ((0, 1) if local else (1, 0))
    assert heads[0].startswith(b"GET /auth" if local else b"GET http://platform.internal/auth")


def test_a_transport_for_the_other_client_is_refused_with_the_way_out(connect, way):
    wrong = httpx.AsyncHTTPTransport() if way == "sync" else httpx.HTTPTransport()
    other = "AsyncClient" if way == "sync" else "Client"

    with pytest.raises(UsageError, match=f"synchronous {type(wrong).__name__}; give it to an? {other}"):
        connect(transport=wrong)
