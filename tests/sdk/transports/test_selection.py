"""The `transport` argument of a client takes httpx transports, httpx clients and objects with two methods."""

from __future__ import annotations

import dataclasses
import socket
import threading

import anyio
import httpx
import pytest
import respx

from project_platform import AsyncClient, Client, NotSentError, Response, Timeout, UsageError
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


def test_a_client_does_not_close_a_given_transport(connect, service):
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


def test_an_httpx_client_keeps_its_settings_except_credentials_and_redirects(connect, service, way, token):
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


@pytest.mark.parametrize("given", [object(), "https://proxy.example", httpx.Request, 7])
def test_an_object_that_is_not_a_transport_is_refused(connect, given):
    """The error names the types that can."""
    with pytest.raises(UsageError, match=r"transport is of type \w+; give an httpx\.\w*BaseTransport"):
        connect(transport=given)


def test_a_transport_for_the_other_client_is_refused_with_the_way_out(connect, way):
    """A synchronous client needs a synchronous transport, and an asynchronous client an asynchronous one."""
    wrong = httpx.AsyncHTTPTransport() if way == "sync" else httpx.HTTPTransport()
    other = "AsyncClient" if way == "sync" else "Client"

    with pytest.raises(UsageError, match=f"synchronous {type(wrong).__name__}; give it to an? {other}"):
        connect(transport=wrong)


def test_the_proxy_of_the_environment_is_used(connect, monkeypatch):
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


@pytest.mark.parametrize("runner", ["sync", "asyncio", "trio"])
def test_respx_answers_a_client_that_was_given_no_transport(runner, project_id):
    """Tests of an application can mock the service with respx, as for httpx, without passing a transport."""
    page = {"agents": [{"id": "a1"}], "pagination": {"limit": 50, "offset": 0, "hasMore": False}}

    async def listed() -> list[str | None]:
        async with AsyncClient("https://platform.example", token="t") as client:
            return [agent.id async for agent in client.project(project_id).agents.list()]

    with respx.mock:
        route = respx.get(f"https://platform.example/projects/{project_id}/agents").respond(json=page)
        if runner == "sync":
            with Client("https://platform.example", token="t") as client:
                found = [agent.id for agent in client.project(project_id).agents.list()]
        else:
            found = anyio.run(listed, backend=runner)

    assert found == ["a1"]
    assert route.calls.last.request.headers["authorization"] == "Bearer t"
