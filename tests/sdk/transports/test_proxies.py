"""Behind a proxy, a request has the same promises, and what fails before the tunnel stands was not sent."""

from __future__ import annotations

import re
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import replace
from typing import Any

import pytest

from project_platform import NotSentError, Request
from project_platform.transports.proxies import Proxy

from ...truth.wire.certificates import Certificates
from .carrier import Carrier, get
from .proxy_server import BASIC, PASSWORD, ProxyServer
from .server import OK, Server

HOST = "platform.test"  # known to the proxy alone
SCHEMES = ["http", "https", "socks5"]


class Behind:
    """A transport behind a proxy, and the service there."""

    def __init__(self, service: Server, proxy: ProxyServer, carrier: Carrier) -> None:
        self.service, self.proxy, self.carrier = service, proxy, carrier

    def get(self, **options: Any) -> Request:
        scheme = "https" if self.service.tls else "http"
        return replace(get(self.service, **options), url=f"{scheme}://{HOST}:{self.service.port}/things?a=1")


@pytest.fixture
def behind(serve: Any, make: Any, certificates: Certificates) -> Iterator[Any]:
    """Return a function that starts a service, and a proxy in front of it."""
    with ExitStack() as stack:

        def behind(scheme: str, script: Any, *, tls: bool = False, reply: bytes | None = None) -> Behind:
            service = serve(script, tls=certificates.server(HOST) if tls else None)
            proxy = ProxyServer(
                service, scheme, tls=certificates.server("localhost") if scheme == "https" else None, reply=reply
            )
            stack.callback(proxy.stop)
            return Behind(service, proxy, make(certificates.client(), proxy=Proxy.of(proxy.url, "ALL_PROXY")))

        yield behind


@pytest.mark.parametrize("tls", [False, True], ids=["http", "https"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_requests_go_through_a_proxy_over_one_connection(behind, scheme, tls):
    """Both requests are answered over one connection; the proxy gets its credentials, and the service does not."""
    heads: list[bytes] = []

    def script(line):
        while True:
            heads.append(line.request()[0])
            line.send(OK)

    through = behind(scheme, script, tls=tls)

    responses = [through.carrier.send(through.get()) for _ in range(2)]

    assert [(response.status, response.body) for response in responses] == [(200, b"ok")] * 2
    assert through.proxy.opened == 1
    assert all(head.startswith(b"GET /things?a=1 HTTP/1.1\r\n") for head in heads)
    authority = f"{HOST}:{through.service.port}".encode()
    assert all(b"Host: " + authority in head for head in heads)
    if scheme == "socks5":
        assert through.proxy.heads == [authority]
    elif tls:
        assert [head.split(b"\r\n")[0] for head in through.proxy.heads] == [b"CONNECT " + authority + b" HTTP/1.1"]
        assert BASIC in through.proxy.heads[0]
        assert not any(b"proxy-authorization" in head.lower() for head in heads)
    else:
        assert [head.split(b" ")[1] for head in through.proxy.heads] == [b"http://" + authority + b"/things?a=1"] * 2
        assert all(BASIC in head for head in through.proxy.heads)


REFUSALS = {
    "407": b"HTTP/1.1 407 Proxy Authentication Required\r\ncontent-length: 0\r\n\r\n",
    "502": b"HTTP/1.1 502 Bad Gateway\r\ncontent-length: 3\r\n\r\nno!",
    "cut off": b"",
    "half of a head": b"HTTP/1.1 200 OK\r\nx-",
    "not HTTP": b"hello\r\n\r\n",
    "not TLS in the tunnel": b"HTTP/1.1 200 OK\r\n\r\n" + OK,
}
SOCKS_REFUSALS = {
    "refused": b"\x05\x05\x00\x01\x00\x00\x00\x00\x00\x00",
    "cut off": b"",
    "half of a reply": b"\x05\x00\x00\x01\x00",
    "not SOCKS": b"HTTP/1.1 400 Bad Request\r\n\r\n",
    "an unknown code": b"\x05\x7f\x00\x01\x00\x00\x00\x00\x00\x00",
}


@pytest.mark.parametrize(
    ("scheme", "refusal"),
    [(scheme, each) for scheme in ("http", "https") for each in REFUSALS]
    + [("socks5", each) for each in SOCKS_REFUSALS],
)
def test_a_request_was_not_sent_if_the_tunnel_was_not_opened(behind, scheme, refusal):
    """Nothing of the request left, whatever the response of the proxy is."""
    refusals = SOCKS_REFUSALS if scheme == "socks5" else REFUSALS
    through = behind(scheme, lambda line: line.request(), tls=True, reply=refusals[refusal])

    outcome = through.carrier.send(replace(through.get(), method="POST", body=b"{}"))

    assert type(outcome) is NotSentError
    assert PASSWORD not in str(outcome)
    assert through.service.opened == 0


def test_bytes_that_a_proxy_sends_before_the_request_are_not_its_response(behind):
    """Without TLS, a proxy could response a request that it has not received."""
    through = behind("socks5", lambda line: line.request(), reply=b"\x05\x00\x00\x01\x00\x00\x00\x00\x00\x50" + OK)

    outcome = through.carrier.send(replace(through.get(), method="POST", body=b"{}"))

    assert type(outcome) is NotSentError


def test_a_request_was_not_sent_if_the_proxy_refuses_the_password(behind, make):
    through = behind("socks5", lambda line: line.request())
    wrong = make(proxy=Proxy.of(through.proxy.url.replace("word@", "word2@"), "ALL_PROXY"))

    outcome = wrong.send(through.get())

    assert type(outcome) is NotSentError
    assert "refuses the user name and password" in str(outcome)


def test_a_request_was_not_sent_if_there_is_no_proxy(behind):
    through = behind("http", lambda line: line.request())
    through.proxy.stop()

    outcome = through.carrier.send(through.get())

    assert type(outcome) is NotSentError
    assert re.search(r"\(the proxy 127\.0\.0\.1:\d+\)$", str(outcome))
