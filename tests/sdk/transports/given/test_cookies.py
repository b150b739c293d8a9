"""The headers of a given client are sent; its cookies are not (`test_selection.py`)."""

from __future__ import annotations

from .bookings import Bookings, answer

ALLOWED = b'{"allowed": true}'


def test_a_cookie_among_the_headers_of_the_client_is_sent(serve, given, connect):
    """Who needs one at a gateway says so."""
    service = Bookings(serve, answer("200 OK", ALLOWED))
    client = connect(service.url, transport=given(headers={"Cookie": "gateway=1"}))

    assert client.auth.check_permission("agents:read")

    assert b"cookie: gateway=1" in service.heads[0].lower()
