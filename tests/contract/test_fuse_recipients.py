"""Whom the fuse lets a request reach: addresses in its body, events and posts in its path."""

from __future__ import annotations

import httpx
import pytest

from .fusing import EVENTS, PROJECT, RECORDS, blocked, fuse, request


@pytest.mark.parametrize(
    "content",
    [
        b'{"attendee": {"email": "other@example.com"}}',
        b'{"attendee": {"email": "other@example.com"}, "attendee": {"email": "guest@example.com"}}',
        b'{"attendee": {"email": "guest@example.com"}, "attendee": {"email": "other@example.com"}}',
        b'{"attendee": {"email": "other@example.com", "email": "guest@example.com"}}',
        b'{"attendee": [{"email": "guest@example.com"}, {"email": "other@example.com"}]}',
        b'{"attendees": ["other@example.com"]}',
        b'{"metadata": {"cc": {"other@example.com": true}}}',
        b'{"description": "copy: other@example.com"}',
        b'{"attendee": {"email": "guest@example.com, other@example.com"}}',
        b'{"attendee": {"email": "GUEST@example.com.evil.example"}}',
        b'{"attendee": {"email": "other\\u0040example.com"}}',
        '{"attendee": {"email": "other\uff20example.com"}}'.encode(),
        '{"attendee": {"email": "other\ufe6bexample.com"}}'.encode(),
        b'{"calendarId": ["other@example.com"]}',
        b'"other@example.com"',
    ],
)
def test_nobody_is_written_to_who_was_not_given(content):
    """Wherever in the body an address stands, and however it is written."""
    assert "recipients that were given" in blocked(fuse(), "POST", EVENTS, content=content)


@pytest.mark.parametrize(
    ("content", "headers"),
    [
        (b"attendee: other@example.com", {}),
        (b"{", {}),
        (b'{"a": ' * 100_000, {}),
        ('{"attendee": {"email": "other@example.com"}}'.encode("utf-16"), {}),
        (b"\xff\xfe", {}),
        (b"{}", {"Content-Encoding": "gzip"}),
        (b'{"attendee": {"email": "other+AEA-example.com"}}', {"Content-Type": "application/json; charset=utf-7"}),
    ],
)
def test_a_body_that_cannot_be_read_tells_nobody(content, headers):
    """What the fuse cannot read as the server would, it does not let through."""
    assert "nobody knows whom it tells" in blocked(fuse(), "POST", EVENTS, content=content, headers=headers)


def test_the_guest_may_be_invited():
    """And a calendar whose identifier looks like an address is none."""
    body = {"attendee": {"email": "guest@example.com"}, "calendarId": "team@calendar.example"}

    assert fuse().check(request("POST", EVENTS, json=body)).effect == "notify"


def test_addresses_in_a_record_are_data():
    """A record is written to nobody, so that persons can be linked."""
    assert fuse().check(request("POST", RECORDS, json={"data": {"email": "new@example.com"}})).effect == "write"


def test_only_events_and_posts_of_the_run_are_touched():
    """An event has attendees whom the body does not name; they are told when it is moved."""
    fused = fuse()
    fused.created.add("evt-own")

    for event in ("evt-own", "contract-tag-none"):
        fused.check(request("PATCH", f"{EVENTS}/{event}", json={}))
    fused.check(request("POST", f"/socials/engagement/pagenet/{PROJECT}/post-1/like", json={}))
    assert "not the run's" in blocked(fuse(), "PATCH", f"{EVENTS}/evt-other", json={"notifyAttendees": False})
    assert "not the run's" in blocked(fuse(), "POST", f"/socials/engagement/pagenet/{PROJECT}/post-2/like", json={})


def test_what_a_request_has_created_is_the_runs_own():
    """The identifier is taken from the answer, without anybody's help."""
    fused = fuse()
    booking = request("POST", EVENTS, json={"summary": "contract-tag"})
    passed = fused.check(booking)
    fused.answered(passed, booking, httpx.Response(201, json={"bookingUid": "evt-new"}))

    assert fused.check(request("PATCH", f"{EVENTS}/evt-new", json={})).number == 2
