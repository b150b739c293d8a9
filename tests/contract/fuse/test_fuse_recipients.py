"""The recipients and resources that a write may address: email addresses in its body, identifiers in its path."""

from __future__ import annotations

import re

import httpx
import pytest

from project_platform_contract.fuse import BlockedError
from project_platform_contract.operations import operations

from .fuse_requests import EVENTS, RECORDS, blocked, fuse, request, write


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
def test_an_unknown_recipient_is_blocked(content):
    """Wherever the address is in the body, and however it is encoded."""
    assert "not one of the allowed recipients" in blocked(fuse(), "POST", EVENTS, content=content)


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
def test_an_ambiguous_body_is_blocked(content, headers):
    """The server might read it in another way than the fuse."""
    assert "the recipients and identifiers in the body cannot be read" in blocked(
        fuse(), "POST", EVENTS, content=content, headers=headers
    )


def test_an_allowed_recipient_may_be_invited():
    """And the identifier of a calendar is not a recipient, although it looks like an address."""
    body = {"attendee": {"email": "guest@example.com"}, "calendarId": "team@calendar.example"}

    assert fuse().check(request("POST", EVENTS, json=body)).effect == "notify"


def test_addresses_in_a_record_are_data():
    """No message is sent to them."""
    assert fuse().check(request("POST", RECORDS, json={"data": {"email": "new@example.com"}})).effect == "write"


ADDRESSED = [
    (operation, name)
    for operation in operations()
    if operation.effect != "read"
    for name in re.findall(r"\{(\w+)\}", operation.path)
    if name != "projectId"
]
"""Every write with each of its path parameters, except the project."""


@pytest.mark.parametrize(("operation", "name"), ADDRESSED, ids=lambda part: getattr(part, "id", part))
def test_a_write_to_an_unknown_resource_is_blocked(operation, name):
    """Even if every effect is allowed: only resources that the run created, that the data names for this parameter, or that have its tag."""
    fused = fuse(resources={name: ["given"], "another": ["stranger"]})
    fused.created.add("created")

    for value in ("created", "given", "contract-tag-none"):
        assert fused.check(write(operation, {}, **{name: value})).operation == operation
    for value in ("stranger", "given-not", "Created", "%2563reated"):
        with pytest.raises(BlockedError, match=f"the {name} .* was neither created by this run nor given"):
            fused.check(write(operation, {}, **{name: value}))


def test_without_a_tag_nothing_counts_as_tagged():
    """The empty string is part of every identifier."""
    assert "neither created" in blocked(fuse(tag=""), "PATCH", f"{RECORDS}/rec-other", json={})


def test_a_created_resource_may_be_written_to():
    """Its identifier is taken from the response."""
    fused = fuse()
    booking = request("POST", EVENTS, json={"summary": "contract-tag"})
    passed = fused.check(booking)
    fused.record_response(passed, booking, httpx.Response(201, json={"bookingUid": "evt-new"}))

    assert fused.check(request("PATCH", f"{EVENTS}/evt-new", json={})).number == 2
