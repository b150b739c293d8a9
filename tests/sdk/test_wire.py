"""Each operation sends these bytes and returns this result."""

from __future__ import annotations

import re
from uuid import UUID

import pytest

from project_platform import StatusError, operations

from .wire import NINE, PROJECT, P, call_by_name

ACCOUNT = "22222222-2222-4222-8222-222222222222"


SECTIONS = [{"id": "s1", "label": "Main", "items": [{"label": "Home", "icon": "house", "id": "i1", "href": "/"}]}]
PDF = b"%PDF-1.7"


# Method of the client, its arguments, the request (method, target, body), the response, and a check of the result.
OPERATIONS = {
    "auth_check_permission": (
        ("auth.check_permission", ["sub_projects:write"], {}),
        ("GET", "/auth/check-permission?permission=sub_projects%3Awrite", b""),
        {"allowed": False},
        lambda result: result is False,
    ),
    "workflows_create": (
        (
            "workflows.create",
            [],
            {
                "name": "Größe",
                "trigger_type_slug": "form",
                "trigger_event_type": "form.sent",
                "actions": [{"type": "mail", "delay": 1.50}],
                "description": "",
                "tags": ["a"],
                "trigger_condition": None,
                "is_active": False,
            },
        ),
        (
            "POST",
            f"{P}/workflows",
            (
                '{"name":"Größe","triggerTypeSlug":"form","triggerEventType":"form.sent","actions":[{"type":"mail","delay":'
                '1.5}],"description":"","tags":["a"],"triggerCondition":null,"isActive":false}'
            ),
        ),
        {"workflow": {"id": "w1", "revision": "3", "createdAt": "2026-11-20T09:00:00Z"}},
        lambda result: (result.id, result.revision, result.created_at.year) == ("w1", "3", 2026),
    ),
    "records_create": (
        ("records.create", [], {"type_slug": "deal", "data": {"a": None}, "external_id": "x", "relations": {}}),
        ("POST", f"{P}/object-records", '{"typeSlug":"deal","data":{"a":null},"externalId":"x","relations":{}}'),
        {"record": {"id": "r1", "typeSlug": "deal", "amountCents": "1200", "data": {"a": 1}}},
        lambda result: (result.id, result.amount_cents, result.data) == ("r1", "1200", {"a": 1}),
    ),
    "records_update": (
        (
            "records.update",
            ["r 1/2"],
            {
                "data": {"stage": "won"},
                "external_id": None,
                "expected_data": {"stage": "open"},
                "expected_status": "active",
                "relations": {"company": ["c1"]},
            },
        ),
        (
            "PATCH",
            f"{P}/object-records/r%201%2F2",
            (
                '{"data":{"stage":"won"},"externalId":null,"expectedData":{"stage":"open"},"expectedStatus":"active",'
                '"relations":{"company":["c1"]}}'
            ),
        ),
        {"record": {"id": "r 1/2", "data": {"stage": "won"}, "newField": 7}},
        lambda result: (result.data, result.model_extra) == ({"stage": "won"}, {"newField": 7}),
    ),
    "calendar_book": (
        (
            "calendar.book",
            [],
            {
                "start": NINE,
                "summary": "Tasting",
                "end": "2026-11-20T10:00:00+01:00",
                "duration_minutes": 60,
                "time_zone": "Europe/Berlin",
                "description": "D",
                "calendar_id": "primary",
                "attendee": {"name": "Ada", "email": "ada@b.example", "phone": "+49 1"},
                "metadata": {"k": [1]},
                "conflict_check": True,
            },
        ),
        (
            "POST",
            f"{P}/calendar/provider/events",
            (
                '{"start":"2026-11-20T09:00:00+01:00","summary":"Tasting","end":"2026-11-20T10:00:00+01:00",'
                '"durationMinutes":60,"timeZone":"Europe/Berlin","description":"D","calendarId":"primary",'
                '"attendee":{"name":"Ada","email":"ada@b.example","phone":"+49 1"},"metadata":{"k":[1]},"conflictCheck":true}'
            ),
        ),
        {"bookingUid": "b1", "start": "2026-11-20T09:00:00+01:00", "htmlLink": "https://c.example/b1"},
        lambda result: (result.booking_uid, result.start) == ("b1", "2026-11-20T09:00:00+01:00"),
    ),
    "calendar_reschedule": (
        (
            "calendar.reschedule",
            ["b1@provider"],
            {
                "calendar_id": "primary",
                "start": NINE,
                "end": NINE,
                "duration_minutes": 30,
                "time_zone": "Europe/Berlin",
                "summary": "S",
                "description": "D",
                "conflict_check": False,
                "notify_attendees": False,
            },
        ),
        (
            "PATCH",
            f"{P}/calendar/provider/events/b1%40provider",
            (
                '{"calendarId":"primary","start":"2026-11-20T09:00:00+01:00","end":"2026-11-20T09:00:00+01:00",'
                '"durationMinutes":30,"timeZone":"Europe/Berlin","summary":"S","description":"D","conflictCheck":false,'
                '"notifyAttendees":false}'
            ),
        ),
        {"bookingUid": "b1@provider", "calendarId": "primary"},
        lambda result: result.calendar_id == "primary",
    ),
    "calendar_busy": (
        ("calendar.busy", [], {"time_min": NINE, "time_max": "2026-11-21T00:00:00Z", "calendar_id": "a&b=c"}),
        (
            "GET",
            (
                f"{P}/calendar/provider/busy?timeMin=2026-11-20T09%3A00%3A00%2B01%3A00&timeMax=2026-11-21T00%3A00%3A00Z"
                "&calendarId=a%26b%3Dc"
            ),
            b"",
        ),
        {"busy": [{"start": "a", "end": "b"}, {}]},
        lambda result: [getattr(interval, "end", None) for interval in result] == ["b", None],
    ),
    "sidebar_replace": (
        ("sidebar.replace", [], {"sections": SECTIONS}),
        (
            "PUT",
            f"{P}/sidebar",
            '{"sections":[{"id":"s1","label":"Main","items":[{"label":"Home","icon":"house","id":"i1","href":"/"}]}]}',
        ),
        {"success": True, "data": {"sections": SECTIONS}},
        lambda result: result.sections[0].items[0].icon == "house",
    ),
    "templates_apply": (
        ("templates.apply", ["t1"], {"name": "North", "variable_values": {"city": "Kiel", "seats": 40}}),
        ("POST", f"{P}/templates/t1/apply", '{"name":"North","variableValues":{"city":"Kiel","seats":40}}'),
        {
            "success": True,
            "data": {
                "project": {"id": ACCOUNT, "createdAt": "2026-11-20T09:00:00Z"},
                "templateApply": {"status": "applied", "report": {"counts": {"roles": 2}, "missingVariables": ["x"]}},
            },
        },
        lambda result: (result.project.id, result.template_apply.report.counts.roles) == (UUID(ACCOUNT), 2),
    ),
    "memory_update": (
        ("memory.update", ["brand/voice"], {"title": "T", "description": None, "content": "C", "metadata": {"k": 1}}),
        (
            "PATCH",
            f"{P}/memory-entries/brand%2Fvoice",
            '{"title":"T","description":null,"content":"C","metadata":{"k":1}}',
        ),
        {"entry": {"slug": "brand/voice", "title": "T", "metadata": {"k": 1}}},
        lambda result: (result.slug, result.metadata) == ("brand/voice", {"k": 1}),
    ),
    "engagement_like": (
        ("engagement.like", ["123_456"], {"account_id": UUID(ACCOUNT)}),
        ("POST", f"/socials/engagement/pagenet/{PROJECT}/123_456/like", f'{{"accountId":"{ACCOUNT}"}}'),
        {"success": True},
        lambda result: result is True,
    ),
    "agents_list": (
        ("agents.list", [], {"limit": 100, "offset": 0}),
        ("GET", f"{P}/agents?limit=100&offset=0", b""),
        {"agents": [{"id": "a1", "toolCategories": ["memory"], "access": "project_member"}], "pagination": {}},
        lambda result: [(agent.id, agent.tool_categories) for agent in result] == [("a1", ["memory"])],
    ),
    "web_analytics_get_config": (
        ("web_analytics.get_config", [], {}),
        ("GET", f"/web-analytics/config/{PROJECT}", b""),
        {"config": {"id": "c1", "enabled": True, "searchSiteUrl": "https://s.example"}},
        lambda result: (result.enabled, result.search_site_url) == (True, "https://s.example"),
    ),
    "posts_list": (
        ("posts.list", [], {"filters": {"status": "failed", "platform": "a b"}}),
        ("GET", f"/socials/posts/{PROJECT}?status=failed&platform=a%20b", b""),
        {"success": True, "data": {"posts": [{"id": ACCOUNT, "media": [{"sizeBytes": 7}], "account": None}]}},
        lambda result: (result[0].id, result[0].media[0].size_bytes) == (UUID(ACCOUNT), 7),
    ),
    "photo_analytics_list_media": (
        ("photo_analytics.list_media", [ACCOUNT], {"filters": {"since": "2026-11-01"}}),
        ("GET", f"/socials/analytics/photonet/{PROJECT}/{ACCOUNT}/media?since=2026-11-01", b""),
        {"success": True, "data": {"media": [{"mediaId": "m1", "likeCount": 7}]}},
        lambda result: (result[0].media_id, result[0].like_count) == ("m1", 7),
    ),
    "labels_export": (
        (
            "labels.export",
            [],
            {"menu_month": "2026-11", "item_ids": [UUID(ACCOUNT)], "include_unapproved": True, "stock": "5x3.5"},
        ),
        (
            "POST",
            f"{P}/menu-items/label-export",
            f'{{"menuMonth":"2026-11","itemIds":["{ACCOUNT}"],"includeUnapproved":true,"stock":"5x3.5"}}',
        ),
        PDF,
        lambda result: result.content == PDF,
    ),
}


@pytest.mark.parametrize("name", OPERATIONS)
def test_each_operation_sends_these_bytes_and_returns_this_result(wired, router, token, name):
    """Method, target, body and standard headers are these byte by byte; the result is the member that the contract unwraps."""
    call, (method, target, body), response, fits = OPERATIONS[name]
    content = {"content": response} if isinstance(response, bytes) else {"json": response}
    route = router.route(method=method).respond(200, **content)

    result = call_by_name(wired, *call)

    request = route.calls.last.request
    assert (request.method, request.url.raw_path.decode()) == (method, target)
    assert request.content.decode() == (body if isinstance(body, str) else body.decode())
    assert fits(result)
    assert route.call_count == 1
    headers = request.headers
    accepted = "application/pdf, application/json" if isinstance(response, bytes) else "application/json"
    assert headers.get_list("authorization") == [f"Bearer {token}"]
    assert headers.get_list("accept") == [accepted]
    assert headers.get_list("content-type") == (["application/json"] if body else [])
    assert headers.get("content-length") == (str(len(body.encode())) if body else None)
    assert re.fullmatch(r"project-platform/\S+ python/3\S+", headers["user-agent"])


def test_every_operation_is_in_the_table():
    assert set(OPERATIONS) == set(operations.__all__)


@pytest.mark.parametrize(
    ("call", "body"),
    [
        (
            ("workflows.create", [], {"name": "N", "trigger_type_slug": "t", "trigger_event_type": "e"}),
            '{"name":"N","triggerTypeSlug":"t","triggerEventType":"e"}',
        ),
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
    route = router.route().respond(400, json={"message": "enough seen"})

    with pytest.raises(StatusError, match="enough seen"):
        call_by_name(wired, *call)

    request = route.calls.last.request
    assert request.content.decode() == body
