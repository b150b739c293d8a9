"""Raw requests to the admin routes that are almost right."""

from __future__ import annotations

import json
from typing import Any
from urllib.parse import quote, urlencode

from hypothesis import strategies as st
from hypothesis.strategies import DrawFn

from project_platform_stub.admin.admin import ROUTES
from project_platform_stub.admin.gate import FORM
from project_platform_stub.admin.routes import Route
from project_platform_stub.http.messages import MAX_BODY_BYTES, Request

from .raw_requests import Bytes, changed, often, seldom, splintered, wounded_json
from .splinters import METHODS, TEXTS

NAMES = ("demo", "one", "1", "2", "999999", "", "é", "a/b", " ", "x" * 300)
MOMENTS = ("2026-11-10T09:00:00Z", "1970-01-01T00:00:00Z", "9000-12-31T23:59:59Z", "0001-01-01T00:00:00Z", "now")
BODIES: dict[str, tuple[Any, ...]] = {
    "worlds": ({"id": "one", "seed": 3}, {"copyOf": "demo"}, {"at": MOMENTS[0]}, {"world": {"projects": []}}, {}),
    "snapshots": ({"name": "1"}, {}),
    "tokens": (
        {"kind": "valid", "identity": "owner", "lifetime": 1},
        {"kind": "role", "role": "viewer"},
        {"kind": "claims", "claims": {"sub": "user_owner", "exp": 1.5}},
    ),
    "rotate": ({"stale": True}, {}),
    "clock": (
        {"set": MOMENTS[0]},
        {"advance": 60},
        {"advance": -1e300},
        {"freeze": True},
        {"freeze": MOMENTS[2]},
        {"run": True},
    ),
    "faults": (
        {"operation": "agents_list", "faults": [{"fault": "status", "status": 503, "retryAfter": 2, "times": 3}]},
        {"operation": "*", "faults": [{"fault": "apply_late", "seconds": 0.5, "hangs": 1}]},
        {"plans": [{"operation": "records_create", "faults": [{"fault": "truncated", "after": 3}]}]},
        {"operation": "*", "faults": [{"fault": "latency", "seconds": 1}, {"fault": "reset", "applied": True}]},
    ),
}
FIELDS: dict[str, tuple[str, ...]] = {
    "id": NAMES,
    "seed": ("1", "-1", "1.5", "9" * 12, "x"),
    "do": ("advance", "set", "freeze", "run", "x"),
    "amount": ("1", "-99999", "9" * 12, "0.5", "1e9"),
    "unit": ("seconds", "days", "years"),
    "moment": MOMENTS,
    "name": NAMES,
    "operation": ("agents_list", "*", "auth_token", "x"),
    "fault": ("status", "latency", "truncated", "hang", "apply_late", "garbage_json", "x"),
    "status": ("503", "200", "999", "-1", "1.5"),
    "seconds": ("1", "1.5", "-1", "9" * 12),
    "times": ("1", "3", "0", "9" * 12),
    "after": ("0", "5", "-1"),
    "retryAfter": ("1", "0.5", "-1"),
    "retryAfterForm": ("date", "milliseconds"),
}


@st.composite
def admin_requests(draw: DrawFn) -> Request:
    """Return requests to the admin routes in which anything may be wrong."""
    route = draw(st.sampled_from(ROUTES))
    method = route.method if draw(often) else draw(st.sampled_from(METHODS))
    path = "/".join(_segment(draw, segment) for segment in route.path.split("/"))
    pairs = draw(
        st.dictionaries(
            st.sampled_from(["note", "status", "operation", "verdict", "q"]), st.sampled_from(TEXTS), max_size=2
        )
    )
    headers = {"content-type": FORM if route.is_page else "application/json", "origin": "http://stub", "host": "stub"}
    for name in list(headers):
        if draw(seldom):
            del headers[name]
    if draw(seldom):
        headers["host"] = draw(st.sampled_from(["evil.example.com", "[", "[::1]:80", "", "é", "a:b:c", "127.0.0.1"]))
    body = _form(draw) if route.is_page else _json(draw, route)
    query = urlencode(pairs, errors="surrogatepass")
    return Request(method, draw(splintered(path)), draw(splintered(query)), headers, Bytes(body[: MAX_BODY_BYTES + 1]))


def _segment(draw: DrawFn, segment: str) -> str:
    if not segment.startswith("{"):
        return segment
    text = "demo" if segment == "{world}" and draw(often) else draw(st.sampled_from(NAMES) | st.text(max_size=5))
    return quote(text, safe="", errors="surrogatepass")


def _json(draw: DrawFn, route: Route) -> bytes:
    examples = next((bodies for name, bodies in BODIES.items() if route.path.endswith(f"/{name}")), ({},))
    body = changed(draw, draw(st.sampled_from(examples)), list(TEXTS))
    return wounded_json(draw, json.dumps(body).encode("utf-8", "surrogatepass"))


def _form(draw: DrawFn) -> bytes:
    names = draw(st.lists(st.sampled_from(sorted(FIELDS)), max_size=6))
    fields = [(name, draw(st.sampled_from(FIELDS[name]) | st.sampled_from(TEXTS))) for name in names]
    return draw(splintered(urlencode(fields, errors="surrogatepass")))
