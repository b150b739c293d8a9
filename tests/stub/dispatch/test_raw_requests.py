"""Raw requests: whatever the bytes of method, path, query, headers and body, the response is clear and in the journal."""

from __future__ import annotations

import json

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from project_platform_stub import Profile, Stub
from project_platform_stub.admin import Admin
from project_platform_stub.admin.admin import ROUTES
from project_platform_stub.contract import load_contract
from project_platform_stub.dispatch.service import Service
from project_platform_stub.http.messages import Request

pytestmark = pytest.mark.one_python

FRAGMENTS = [
    "",
    ".",
    "..",
    "%",
    "%2",
    "%zz",
    "%2F",
    "%2e%2e",
    "%00",
    "%ff",
    "%ed%a0%80",
    "é",
    "a" * 5000,
    "{",
    "*",
    ";x",
    "demo",
]
METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "TRACE", "get", "", "BREW", "GET\r\n"]
BODIES = [
    b"",
    b"{}",
    b"[]",
    b"null",
    b'{"a":',
    b"\xff\xfe",
    b'{"data": {"a": 1e999999999}}',
    b"[" * 200,
    b'"\\ud800"',
    b"a=b&a=%ff",
]
TEXT = st.text(st.characters(max_codepoint=255), max_size=20)


@st.composite
def raw_requests(draw, stub, routes):
    """Return a request in which up to three parts are almost valid or arbitrary, and the others valid."""
    valid = stub.project.id
    segment = st.just(valid) | st.sampled_from([*FRAGMENTS, "page", "journal", "worlds"]) | TEXT
    tokens = [f"Bearer {stub.token()}", f"bearer {stub.token('viewer')}", "Bearer x.y.z", "Basic eDp5", "Bearer", ""]
    broken = draw(st.sets(st.sampled_from(["method", "path", "query", "token", "type", "body"]), max_size=3))
    method, path = draw(st.sampled_from(routes))
    segments = [valid if part.startswith("{") else part for part in path.split("/")[1:]]
    query, body = b"", b"{}"
    headers = {"authorization": tokens[0], "content-type": "application/json"}
    if "method" in broken:
        method = draw(st.sampled_from(METHODS))
    if "path" in broken:
        named = st.tuples(*(segment if part.startswith("{") else st.just(part) for part in path.split("/")[1:]))
        segments = draw(named | st.lists(segment, max_size=6))
    if "query" in broken:
        query = draw(
            st.binary(max_size=20)
            | st.sampled_from([b"limit=1&limit=2", b"limit=%ff", b"permission=agents:read", b"=", b"&&"])
        )
    if "token" in broken:
        headers["authorization"] = draw(st.sampled_from(tokens) | TEXT)
    if "type" in broken:
        headers["content-type"] = draw(st.sampled_from(["APPLICATION/JSON;charset=x", "text/plain", ""]) | TEXT)
    if "body" in broken:
        body = draw(st.sampled_from(BODIES) | st.binary(max_size=50))
    others = {
        "content-encoding": TEXT,
        "host": st.sampled_from(["stub", "localhost:1", "[::1"]) | TEXT,
        "origin": TEXT,
        "x-unknown": TEXT,
    }
    headers |= draw(st.just({}) | st.fixed_dictionaries({}, optional=others))
    return Request(method, f"/{'/'.join(segments)}".encode("latin-1", "replace"), query, headers, body)


@pytest.mark.parametrize(
    ("routes", "expected"),
    [
        (
            [
                (operation.method, "/" + "/".join(operation.segments))
                for operation in load_contract().operations.values()
            ],
            {200, 204, 400, 401, 404, 405, 415},
        ),
        ([(route.method, route.path) for route in ROUTES], {200, 404, 405}),
    ],
    ids=["operations", "admin"],
)
def test_a_raw_request_gets_a_clear_response(routes, expected):
    """The status is below 500, headers are printable ASCII, an error has a message, and the journal has the request."""
    stub = Stub()
    service = Service(stub.worlds, profile=Profile())
    service.mount(b"/_stub/", Admin(service).handle)
    statuses = set()

    @settings(max_examples=400, deadline=None, database=None, derandomize=True, suppress_health_check=list(HealthCheck))
    @given(raw_requests(stub, routes))
    def send(request):
        response = service.handle(request)

        assert response.status < 500, response.body
        assert all(text.isascii() and text.isprintable() for text in response.headers.values())
        if response.status >= 400 and response.headers["Content-Type"] == "application/json":
            assert json.loads(response.body)["message"]
        if not request.raw_path.startswith(b"/_stub"):
            latest = [
                journal[-1].request_id for journal in (stub.world.journal, service.unmatched_requests) if len(journal)
            ]
            assert response.headers["X-Request-Id"] in latest
        statuses.add(response.status)

    send()

    assert expected <= statuses
