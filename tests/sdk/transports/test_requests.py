"""The head of a request: what a server reads is what was given, or nothing is sent."""

from __future__ import annotations

from typing import Any

import h11
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from project_platform import Request
from project_platform.calls.headers import Headers, Secret, problem_of_header
from project_platform.transports.deadline import Deadline
from project_platform.transports.origins import Connectable, Origin, WireRequest
from project_platform.transports.proxies import Proxy
from project_platform.transports.steps import NoConnectionError

# The characters that have a meaning in a head, each more often than all others together.
PARTS = st.sampled_from(
    ["\r", "\n", "\r\n", "\r\n\r\n", " ", "\t", ":", "\0", "\x0b", "\x85", "é", "\u2028", "\ud800", "a", "/"]
)
TEXT = st.lists(st.one_of(PARTS, st.text(max_size=3)), max_size=6).map("".join)
INJECTED = "a\r\nX-Evil: 1\r\n\r\nGET / HTTP/1.1"


def head(method: str, target: str, headers: Any, proxy: Proxy | None = None) -> bytes | None:
    """Return the head of a request to http://a, or None if it is not sent."""
    origin: Origin[Any] = Origin("http", "a", Connectable(Any, proxy, 5.0))
    try:
        request = WireRequest(Request(method, "http://a" + target, headers), origin, target, Deadline(9.0, 9.0, 9.0))
        return bytes(request.head(origin))
    except NoConnectionError:
        return None


def read(data: bytes) -> tuple[bytes, bytes, list[tuple[bytes, bytes]]]:
    """Return the method, the target and the fields that a server reads; there is nothing behind the head."""
    server = h11.Connection(h11.SERVER)
    server.receive_data(data)
    request = server.next_event()
    assert isinstance(request, h11.Request)
    assert type(server.next_event()) is h11.EndOfMessage
    assert server.trailing_data == (b"", False)
    return request.method, request.target, list(request.headers)


@given(TEXT, TEXT, TEXT, TEXT)
@example("GET", "/", "x-a", INJECTED)
@example("GET", "/", INJECTED, "b")
@example("GET", "/" + INJECTED, "x-a", "b")
@example("GET / HTTP/1.1\r\nX-Evil: 1\r\n\r\nGET", "/", "x-a", "b")
@example("GET", "/", "a: b", "c")
@example("GET", "/", "x-a", " b")
@example("GET", "/", "x-a", "b\t")
@example("GET", "/", "x-a", "")
@example("GET", "/", "x-a", "\xe9")
def test_no_part_of_a_request_ends_a_line(method, target, name, value):
    """A server reads the method, the target, the name and the value that were given, or nothing is sent."""
    data = head(method, "/" + target, {name: value})

    if data is not None:
        body = [(b"content-length", b"0")] if method != "GET" else []
        fields = [(b"host", b"a"), *body, (name.lower().encode("ascii"), value.encode("latin-1"))]
        assert read(data) == (method.encode("ascii"), b"/" + target.encode("ascii"), fields)


@given(TEXT, TEXT, TEXT)
def test_what_the_client_accepts_as_a_header_is_sent_as_it_is(name, value, token):
    """A header that the check of the client lets pass, beside a token, is one that a connection can send."""
    if problem_of_header(name, value) is None and problem_of_header("x-token", f"Bearer {token}") is None:
        headers = Headers({name: value}).of_request("application/json", Secret(token), json=False)

        data = head("GET", "/", headers)

        assert data is not None
        assert dict(read(data)[2])[name.lower().encode()] == value.encode()


@pytest.mark.parametrize("name", ["Host", "content-length", "Transfer-Encoding"])
def test_a_field_that_the_connection_adds_is_not_sent_twice(name):
    """A second Host, length or framing would make two messages of one (RFC 9112, section 11.2)."""
    assert head("GET", "/", {name: "5"}) is None


def test_a_proxy_is_sent_the_whole_url_and_its_credentials():
    """A proxy that forwards gets the absolute form (RFC 9112, section 3.2.2), and credentials cannot end a line either."""
    proxy = Proxy("http", "proxy", 3128, "user\r\nX-Evil: 1", "p\r\n\r\n" * 40)

    method, target, fields = read(head("GET", "/things?a=1", {"x-a": "b"}, proxy) or b"")

    assert (method, target) == (b"GET", b"http://a/things?a=1")
    assert [name for name, _ in fields] == [b"host", b"proxy-authorization", b"x-a"]
