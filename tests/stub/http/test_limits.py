"""A value at its limit is accepted; a value one over or under it is refused, and the message names the field."""

from __future__ import annotations

import pytest

WORKFLOW = {"name": "W", "triggerTypeSlug": "lead", "triggerEventType": "record.created"}
# One code point outside the basic plane: a limit in UTF-16 units or bytes would refuse a valid value.
ASTRAL = "🌾"


def create(api, **fields):
    return api.post(api.path("workflows"), json={**WORKFLOW, **fields})


def test_texts_and_tags_at_their_limits_are_accepted(api):
    """Lengths count code points."""
    tags = [ASTRAL * 40] * 11 + ["x"]

    workflow = create(api, name=ASTRAL * 200, tags=tags).json()["workflow"]

    assert (workflow["name"], workflow["tags"]) == (ASTRAL * 200, tags)


@pytest.mark.parametrize(
    ("fields", "problem"),
    [
        ({"name": ASTRAL * 201}, "body.name: has 201 characters; the maximum is 200"),
        ({"name": ""}, "body.name: must not be empty"),
        ({"tags": ["x"] * 13}, "body.tags: has 13 items; the maximum is 12"),
        ({"tags": ["x", "x" * 41]}, "body.tags[1]: has 41 characters; the maximum is 40"),
        ({"tags": ["x", 3]}, "body.tags[1]: must be string, not number"),
    ],
)
def test_a_field_over_its_limit_is_refused(api, refused, fields, problem):
    """The message names the field, its length and the limit."""
    refused(create(api, **fields), 400, problem)


@pytest.mark.parametrize(
    ("query", "page"),
    [("limit=1", 1), ("limit=100", 8), ("offset=0", 8), ("limit=100&offset=8", 0), (f"offset={'9' * 4300}", 0)],
)
def test_limit_and_offset_within_range_are_accepted(api, query, page):
    response = api.get(f"{api.path('agents')}?{query}")

    assert response.status_code == 200
    assert len(response.json()["agents"]) == page


@pytest.mark.parametrize(
    ("query", "problem"),
    [
        ("limit=0", "query.limit: is 0; the minimum is 1"),
        ("limit=101", "query.limit: is 101; the maximum is 100"),
        ("offset=-1", "query.offset: is -1; the minimum is 0"),
        ("limit=", "query.limit: must be an integer"),
        ("limit=1.0", "query.limit: must be an integer"),
        ("limit=%D9%A1", "query.limit: must be an integer"),
        ("limit=%201", "query.limit: must be an integer"),
        ("limit=99999999999999999999999", "query.limit: is 99999999999999999999999; the maximum is 100"),
        (f"offset={'9' * 4301}", "query.offset: has 4301 characters; the maximum is 4300"),
    ],
)
def test_limit_and_offset_out_of_range_are_refused(api, refused, query, problem):
    refused(api.get(f"{api.path('agents')}?{query}"), 400, problem)
