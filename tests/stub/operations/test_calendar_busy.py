"""Endpoints 7: busy intervals."""

from __future__ import annotations

import pytest


@pytest.fixture
def busy(api):
    """Return the response for the busy intervals of the demo day, or of another range."""
    return lambda **query: api.call("calendar_busy", query=query)


def hours(response):
    assert response.status_code == 200, response.text
    return [(slot["start"][11:16], slot["end"][11:16]) for slot in response.json()["busy"]]


@pytest.mark.parametrize(
    ("start", "end", "expected"),
    [
        ("09:59", "12:00", [("09:00", "10:00")]),  # the end of the range is exclusive
        ("09:59", "12:01", [("09:00", "10:00"), ("12:00", "13:00")]),
        ("10:00", "12:00", []),  # an interval that ends when the range begins does not overlap it
        ("09:30", "09:31", [("09:00", "10:00")]),
        ("12:59", "23:00", [("12:00", "13:00")]),
        ("13:00", "23:00", []),
    ],
)
def test_the_range_is_half_open(busy, start, end, expected):
    """`timeMin` is inclusive and `timeMax` exclusive; an interval that overlaps the range is not clipped."""
    assert hours(busy(timeMin=f"2026-11-03T{start}:00Z", timeMax=f"2026-11-03T{end}:00Z")) == expected


def test_intervals_that_overlap_are_merged(api, busy):
    """Overlapping bookings are one interval; those that only touch remain two."""
    for start, end in (
        ("15:00", "16:00"),
        ("15:30", "15:40"),
        ("15:45", "17:00"),
        ("17:00", "18:00"),
        ("07:00", "07:30"),
    ):
        api.book(start=f"2026-11-03T{start}:00Z", end=f"2026-11-03T{end}:00Z", conflictCheck=False)

    assert hours(busy()) == [
        ("07:00", "07:30"),
        ("09:00", "10:00"),
        ("12:00", "13:00"),
        ("15:00", "17:00"),
        ("17:00", "18:00"),
    ]


def test_a_calendar_can_be_selected(busy):
    """The default is the primary one; reading needs no write scope."""
    assert hours(busy(calendarId="holidays@calendar.example")) == [("08:00", "18:00")]


def test_an_unencoded_plus_sign_is_explained(api, refused):
    """In a query `+` means a space; the message has the encoding."""
    path = f"{api.path('calendar', 'provider', 'busy')}?timeMin=2026-11-03T00:00:00+02:00&timeMax=2026-11-04T00:00:00Z"

    assert "%2B" in refused(api.get(path), 400, "query.timeMin: ")["message"]
