"""Whom and what the fuse lets a write reach: addresses in its body, resources in its path."""

from __future__ import annotations

import re

import httpx
import pytest

from project_platform_contract.fuse import BlockedError
from project_platform_contract.operations import operations

from .fuse_requests import EVENTS, PROJECT, RECORDS, blocked, fuse, request


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
def test_a_body_that_cannot_be_read_is_not_sent(content, headers):
    """What the fuse cannot read as the server would, it does not let through."""
    assert "the recipients cannot be read" in blocked(fuse(), "POST", EVENTS, content=content, headers=headers)


def test_the_guest_may_be_invited():
    """And a calendar whose identifier looks like an address is none."""
    body = {"attendee": {"email": "guest@example.com"}, "calendarId": "team@calendar.example"}

    assert fuse().check(request("POST", EVENTS, json=body)).effect == "notify"


def test_addresses_in_a_record_are_data():
    """A record is written to nobody, so that persons can be linked."""
    assert fuse().check(request("POST", RECORDS, json={"data": {"email": "new@example.com"}})).effect == "write"


ADDRESSED = [
    (operation, name)
    for operation in operations()
    if operation.effect != "read"
    for name in re.findall(r"\{(\w+)\}", operation.path)
    if name != "projectId"
]
"""Every write, with each path parameter that says what it writes to."""


def write_to(operation, name, value):
    """Return a write in the run's project with one path parameter of that value; the others have the run's tag."""
    names = re.findall(r"\{(\w+)\}", operation.path)
    values = {**dict.fromkeys(names, "contract-tag"), "projectId": PROJECT, name: value}
    return request(operation.method, operation.path.format(**values), json={})


@pytest.mark.parametrize(("operation", "name"), ADDRESSED, ids=lambda part: getattr(part, "id", part))
def test_a_write_to_a_resource_of_others_is_stopped(operation, name):
    """Also with every effect allowed: only what the run created, what was given for this parameter, or what has its tag."""
    fused = fuse(resources={name: ["given"], "another": ["stranger"]})
    fused.created.add("created")

    for value in ("created", "given", "contract-tag-none"):
        assert fused.check(write_to(operation, name, value)).operation == operation
    for value in ("stranger", "given-not", "Created", "%2563reated"):
        with pytest.raises(BlockedError, match=f"the {name} .* was neither created by this run nor given"):
            fused.check(write_to(operation, name, value))


def test_without_a_tag_nothing_counts_as_tagged():
    """An empty tag is in every text."""
    assert "neither created" in blocked(fuse(tag=""), "PATCH", f"{RECORDS}/rec-other", json={})


def test_what_a_request_has_created_is_the_runs_own():
    """The identifier is taken from the answer, without anybody's help."""
    fused = fuse()
    booking = request("POST", EVENTS, json={"summary": "contract-tag"})
    passed = fused.check(booking)
    fused.record_response(passed, booking, httpx.Response(201, json={"bookingUid": "evt-new"}))

    assert fused.check(request("PATCH", f"{EVENTS}/evt-new", json={})).number == 2
