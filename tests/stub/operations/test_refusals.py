"""What each operation refuses: the message names the field, nothing is written, and no mail is sent."""

from __future__ import annotations

import pytest

from ..conftest import MISSING

UNKNOWN = "0b9c4c6e-0000-4000-8000-000000000000"
GOULASH = "643e6bc5-4128-46bd-bb6d-5d0b118b466d"  # a menu item of the demo world
# One code point outside the basic plane: a limit in UTF-16 units or bytes would refuse a valid value.
ASTRAL = "🌾"
INVALID_FIELDS = {
    "workflows_create": [
        ({"name": ASTRAL * 201}, "name: has 201 characters; the maximum is 200"),
        ({"name": ""}, "name: must not be empty"),
        ({"tags": ["x"] * 13}, "tags: has 13 items; the maximum is 12"),
        ({"tags": ["x", "x" * 41]}, "tags[1]: has 41 characters; the maximum is 40"),
        ({"tags": ["x", 3]}, "tags[1]: must be string, not number"),
    ],
    # The specification lists no 404 for creating a record and for the label export.
    "records_create": [({"typeSlug": "unicorn"}, "typeSlug: ")],
    "labels_export": [
        ({"menuMonth": "2026-13"}, "menuMonth: "),
        ({"menuMonth": "November"}, "menuMonth: "),
        ({"menuMonth": "2026-11-01"}, "menuMonth: "),
        ({"menuMonth": ""}, "menuMonth: "),
        ({"itemIds": ["x"]}, "itemIds[0]: is not a valid uuid"),
        ({"itemIds": [GOULASH, UNKNOWN]}, "itemIds[1]: is not a menu item"),
        ({"stock": "4x6"}, 'stock: must be one of "5x3.5"'),
    ],
    "calendar_book": [
        ({"start": "tomorrow"}, "start: "),
        ({"start": "2026-11-10"}, "start: "),
        ({"start": "2026-13-10T09:00:00Z"}, "start: "),
        ({"start": "2026-11-10T09:00:00+25:00"}, "start: "),
        ({"start": "2026-11-10T09:00:00 Z"}, "start: is not an ISO 8601 timestamp"),
        ({"start": ""}, "start: must not be empty"),
        ({"start": "0001-01-01T00:00:00+14:00"}, "start: "),
        ({"start": "9999-12-31T23:59:00Z"}, "start: "),
        ({"end": "later"}, "end: "),
        ({"end": "2026-11-10T09:00:00Z"}, "end: "),
        ({"end": "2026-11-10T08:00:00Z", "durationMinutes": 30}, "end: "),
        ({"durationMinutes": 0}, "durationMinutes: "),
        ({"durationMinutes": -5}, "durationMinutes: "),
        ({"durationMinutes": 0, "end": "2026-11-10T10:00:00Z"}, "durationMinutes: "),
        ({"durationMinutes": 1.5}, "durationMinutes: must be integer"),
        ({"durationMinutes": 10**30}, "durationMinutes: "),
        ({"timeZone": ""}, "timeZone: must not be empty"),
        ({"timeZone": "Mars/Olympus"}, "timeZone: "),
        ({"timeZone": "localtime"}, "timeZone: "),
        ({"timeZone": "posixrules"}, "timeZone: "),
        ({"timeZone": "posix/Europe/Berlin"}, "timeZone: "),
        ({"timeZone": "europe/berlin"}, "timeZone: "),
        ({"attendee": {"email": "nobody"}}, "attendee.email: is not a valid email"),
    ],
    "calendar_reschedule": [
        ({"start": "soon"}, "start: "),
        ({"end": "2026-11-03T09:00:00Z"}, "end: "),
        ({"start": "2026-11-12T09:00:00Z", "end": "2026-11-11T09:00:00Z"}, "end: "),
        ({"durationMinutes": 0}, "durationMinutes: "),
        ({"timeZone": "Mars/Olympus"}, "timeZone: "),
    ],
    "sidebar_replace": [
        ({"sections": ["x"]}, "sections[0]: must be object"),
        ({"sections": [{"items": {}}]}, "sections[0].items: must be null or array"),
        ({"sections": [{"items": [{}, 1]}]}, "sections[0].items[1]: must be object"),
        ({"sections": [{"items": [{"label": 7}]}]}, "sections[0].items[0].label: must be"),
        ({"sections": [{"id": 7}]}, "sections[0].id: must be"),
    ],
    "templates_apply": [({"name": ""}, "name: "), ({"name": " \t"}, "name: ")],
    "engagement_like": [
        ({"accountId": "demo.page"}, "accountId: is not a valid uuid"),
        ({"accountId": None}, "accountId: must be string"),
    ],
}
INVALID_QUERIES = {
    "auth_check_permission": [
        *(({"permission": given}, "permission: ") for given in (MISSING, "", "agents", "agents:delete")),
    ],
    "agents_list": [
        ({"limit": "0"}, "limit: is 0; the minimum is 1"),
        ({"limit": "101"}, "limit: is 101; the maximum is 100"),
        ({"offset": "-1"}, "offset: is -1; the minimum is 0"),
        *(({"limit": given}, "limit: must be an integer") for given in ("", "1.0", "\u0661", " 1")),
        ({"limit": "9" * 23}, f"limit: is {'9' * 23}; the maximum is 100"),
        ({"offset": "9" * 4301}, "offset: has 4301 characters; the maximum is 4300"),
    ],
    "calendar_busy": [
        ({"timeMax": "2026-11-03T00:00:00Z"}, "timeMax: must be after"),
        ({"timeMax": "2026-11-01T00:00:00Z"}, "timeMax: must be after"),
        ({"timeMin": "today"}, "timeMin: "),
        ({"timeMax": ""}, "timeMax: "),
        ({"timeMin": MISSING}, "timeMin: "),
    ],
    # Only string fields can be filtered by.
    **{
        operation: [({name: "x"}, f"{name}: ") for name in ("state", "media", "account", "limit", "")]
        for operation in ("posts_list", "photo_analytics_list_media")
    },
}
NOT_FOUND = {
    "records_update": [{"recordId": "rec_unknown"}],
    "calendar_book": [{"calendarId": "unknown"}, {"calendarId": ""}],
    "calendar_reschedule": [
        {"eventId": "evt_unknown"},
        {"calendarId": "holidays@calendar.example"},
        {"calendarId": "unknown"},
        {"calendarId": ""},
    ],
    "calendar_busy": [{"query": {"calendarId": "unknown"}}, {"query": {"calendarId": ""}}],
    "templates_apply": [{"templateId": "tpl_unknown"}],
    # A slug is decoded once and compared literally.
    "memory_update": [
        {"slug": slug} for slug in ("brand", "voice", "unknown", "brand%2Fvoice", "Welcome", "brand/voice/")
    ],
    "photo_analytics_list_media": [{"accountId": "unknown"}],
}
# Things of the demo project, which another project does not have; a project without calendars has no primary one.
FOREIGN = ["records_update", "calendar_book", "calendar_reschedule"]


@pytest.mark.parametrize(
    ("operation", "fields", "place"), [(name, *row) for name, rows in INVALID_FIELDS.items() for row in rows]
)
def test_an_invalid_field_is_refused(*, api, refused, stub, operation, fields, place):
    before = stub.world.state

    refused(api.call(operation, **fields), 400, f"body.{place}")
    assert stub.world.state is before


@pytest.mark.parametrize(
    ("operation", "query", "place"), [(name, *row) for name, rows in INVALID_QUERIES.items() for row in rows]
)
def test_an_invalid_parameter_is_refused(api, refused, operation, query, place):
    refused(api.call(operation, query=query), 400, f"query.{place}")


@pytest.mark.parametrize(("operation", "named"), [(name, row) for name, rows in NOT_FOUND.items() for row in rows])
def test_an_unknown_thing_is_not_found(api, refused, stub, operation, named):
    before = stub.world.state

    refused(api.call(operation, **named), 404)
    assert stub.world.state is before


@pytest.mark.parametrize("operation", FOREIGN)
def test_a_thing_of_another_project_is_not_found(api, refused, stub, operation):
    refused(api.call(operation, projectId=stub.other_project.id), 404)


def test_a_duration_of_a_billion_digits_is_refused(api, refused):
    """It is refused before any arithmetic."""
    content = b'{"start":"2026-11-10T09:00:00Z","summary":"S","durationMinutes":1e999999999}'
    headers = {"Content-Type": "application/json"}

    response = api.post(api.path("calendar", "provider", "events"), content=content, headers=headers)

    refused(response, 400, "body.durationMinutes: ")
