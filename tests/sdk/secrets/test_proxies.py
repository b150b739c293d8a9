"""The user name and the password of a proxy in the environment are in no error."""

from __future__ import annotations

import pytest

from project_platform import AsyncClient, Client, PlatformError, RetryPolicy

from ..conftest import Waited
from ..transports.server import Line, Server
from .showing import CLIENT_HEADERS, PROXY_USER, TOKEN, reports, secrets_in

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"


def _refuse(line: Line) -> None:
    """Repeat the credentials of the proxy, and those of the request if it is forwarded."""
    head, _ = line.request()
    heard = b" ".join(head.split(b"\r\n"))
    line.send(b"HTTP/1.1 407 " + heard[:200].replace(b"\r\n", b" ") + b"\r\ncontent-length: 0\r\n\r\n")


def _close(line: Line) -> None:
    line.request()


PROXIES = {
    "refuses": "http://{user}@127.0.0.1:{port}",
    "closes": "http://{user}@127.0.0.1:{port}",
    "unreachable": "http://{user}@127.0.0.1:1",
    "unknown scheme": "ftp://{user}@127.0.0.1:{port}",
    "no port": "http://{user}@127.0.0.1:{user}",
    "no host": "http://{user}@",
    "bracket": "http://{user}@[::1",
}


@pytest.fixture(params=PROXIES)
def _proxy(request, monkeypatch):
    server = Server(_close if request.param == "closes" else _refuse)
    monkeypatch.setenv("ALL_PROXY", PROXIES[request.param].format(user=PROXY_USER, port=server.port))
    yield
    server.stop()


OPTIONS = {
    "token": TOKEN,
    "headers": CLIENT_HEADERS,
    "retry": RetryPolicy(max_attempts=1),
    "allow_insecure": True,
}


def read(url, portal):
    with Client(url, **OPTIONS) if portal is None else Waited(AsyncClient(url, **OPTIONS), portal) as client:
        client.project(PROJECT).posts.list()


@pytest.mark.usefixtures("_proxy")
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_the_password_of_a_proxy_is_not_shown(portal, scheme):
    """Whatever is wrong with the proxy, its URL is shown without a user name and a password, or not at all."""
    with pytest.raises(PlatformError) as raised:
        read(f"{scheme}://platform.example", portal)

    for shown in reports(raised.value):
        assert secrets_in(shown) == []
