"""A request has exactly the arguments of the call: identifiers as one path segment, filters unchanged, no defaults."""

from __future__ import annotations

import json

import pytest

from project_platform import StatusError

from .openapi import Contract
from .wire import NINE, PROJECT, call_by_name


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
