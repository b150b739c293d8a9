"""A request has exactly the arguments of the call: identifiers as one path segment, filters unchanged, no defaults."""

from __future__ import annotations

import json
import socket
import threading

import pytest

from project_platform import AuthenticationError, StatusError

from .openapi import Contract
from .wire import NINE, PROJECT, P, call_by_name


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (("workflows.create", [], {"name": "N", "trigger_type_slug": "t", "trigger_event_type": "e"}), None),
        (("records.create", [], {"type_slug": "deal"}), '{"typeSlug":"deal"}'),
        (("records.update", ["r1"], {}), "{}"),
        (("calendar.book", [], {"start": NINE, "summary": "S"}), '{"start":"2026-11-20T09:00:00+01:00","summary":"S"}'),
        (("calendar.reschedule", ["b1"], {"summary": "S"}), '{"summary":"S"}'),
        (("sidebar.replace", [], {"sections": []}), '{"sections":[]}'),
        (("templates.apply", ["t1"], {"name": "N"}), '{"name":"N"}'),
        (("memory.update", ["s"], {"content": None}), '{"content":null}'),
        (("memory.update", ["s"], {}), "{}"),
        (("labels.export", [], {}), "{}"),
    ],
)
def test_what_is_not_given_is_not_sent(wired, router, call, body):
    """The SDK sends no default values; None is sent as null."""
    route = router.route().respond(400, json={"message": "enough seen"})

    with pytest.raises(StatusError, match="enough seen"):
        call_by_name(wired, *call)

    request = route.calls.last.request
    expected = body or '{"name":"N","triggerTypeSlug":"t","triggerEventType":"e"}'
    assert request.content.decode() == expected
    operation, _ = Contract().operation(request.method, request.url.raw_path.decode())
    Contract.fits(operation["requestBody"]["content"]["application/json"]["schema"], json.loads(request.content))


@pytest.mark.parametrize("filters", [{}, {"a&b": "c=d", "größe": "ü"}, {"x": ""}])
def test_filters_are_sent_unchanged(wired, router, filters):
    """Names and values are sent unchanged."""
    route = router.get(path=f"/socials/posts/{PROJECT}").respond(200, json={"data": {"posts": []}})

    assert call_by_name(wired, "posts.list", [], {"filters": filters}) == []

    assert dict(route.calls.last.request.url.params) == filters


def test_an_encoded_slash_is_sent_unresolved_over_a_real_connection(connect):
    """The request line on a socket has the encoded segment."""
    heard = []
    with socket.create_server(("127.0.0.1", 0)) as server:

        def answer():
            connection, _ = server.accept()
            with connection:
                heard.append(connection.recv(65536))
                connection.sendall(
                    b'HTTP/1.1 401 No\r\nContent-Length: 16\r\nConnection: close\r\n\r\n{"message":"no"}'
                )

        thread = threading.Thread(target=answer)
        thread.start()
        client = connect(f"http://127.0.0.1:{server.getsockname()[1]}/v1", transport=None)
        with pytest.raises(AuthenticationError):
            call_by_name(client, "memory.update", ["a/../b"], {"title": "T"})
        thread.join(5)

    assert heard[0].startswith(f"PATCH /v1{P}/memory-entries/a%2F..%2Fb HTTP/1.1\r\n".encode())
