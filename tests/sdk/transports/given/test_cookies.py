"""Cookies of a given client are neither sent nor able to break a call; its headers are sent."""

from __future__ import annotations

from typing import Any

import pytest

from .bookings import Bookings, answer

ALLOWED = b'{"allowed": true}'


@pytest.mark.parametrize("cookie", [b"a=b; Path=/", "a=\u20ac; Path=/".encode(), b"a=\xff\xfe; Path=/"])
def test_a_cookie_of_an_answer_is_not_sent(serve: Any, given: Any, connect: Any, cookie: bytes) -> None:
    """A cookie that no header can carry made every later call a `UnicodeEncodeError`."""
    service = Bookings(serve, answer("200 OK", ALLOWED, b"set-cookie: " + cookie + b"\r\n"))
    client = connect(service.url, transport=given(cookies={"own": "1"}))

    assert [client.auth.check_permission("agents:read") for _ in range(3)] == [True] * 3

    assert not any(b"cookie" in head.lower() for head in service.heads)


def test_a_cookie_among_the_headers_of_the_client_is_sent(serve: Any, given: Any, connect: Any) -> None:
    """Who needs one at a gateway says so."""
    service = Bookings(serve, answer("200 OK", ALLOWED))
    client = connect(service.url, transport=given(headers={"Cookie": "gateway=1"}))

    assert client.auth.check_permission("agents:read")

    assert b"cookie: gateway=1" in service.heads[0].lower()
