"""A value at its limit is accepted; a value one over or under it is refused, and the message names the field."""

from __future__ import annotations

import pytest

WORKFLOW = {"name": "W", "triggerTypeSlug": "lead", "triggerEventType": "record.created"}
# One code point outside the basic plane: a limit in UTF-16 units or bytes would refuse a valid value.
ASTRAL = "🌾"

TEXT_LIMITS = [("name", 1, 200), ("triggerTypeSlug", 1, 120), ("triggerEventType", 1, 120), ("description", 0, 1000)]


def create(api, **fields):
    """Create a workflow."""
    return api.post(api.path("workflows"), json={**WORKFLOW, **fields})


@pytest.mark.parametrize(("field", "minimum", "maximum"), TEXT_LIMITS)
@pytest.mark.parametrize("letter", ["x", ASTRAL])
def test_a_workflow_text_at_its_limit_is_accepted(api, field, minimum, maximum, letter):
    """Lengths count code points."""
    for length in (minimum, maximum):
        response = create(api, **{field: letter * length})
        assert response.status_code == 201, response.text
        assert response.json()["workflow"][field] == letter * length


@pytest.mark.parametrize(("field", "minimum", "maximum"), TEXT_LIMITS)
def test_a_workflow_text_over_its_limit_is_refused(api, refused, field, minimum, maximum):
    """The message names the field, its length and the limit."""
    refused(
        create(api, **{field: ASTRAL * (maximum + 1)}),
        400,
        f"body.{field}: has {maximum + 1} characters; the maximum is {maximum}",
    )
    if minimum:
        refused(create(api, **{field: ""}), 400, f"body.{field}: must not be empty")


def test_twelve_tags_of_forty_characters_are_accepted(api):
    """The specification allows at most 12 tags of 1 to 40 characters."""
    tags = [ASTRAL * 40] * 11 + ["x"]

    response = create(api, tags=tags)

    assert response.status_code == 201
    assert response.json()["workflow"]["tags"] == tags


@pytest.mark.parametrize(
    ("tags", "problem"),
    [
        (["x"] * 13, "body.tags: has 13 items; the maximum is 12"),
        (["x", "y", "z", "x" * 41], "body.tags[3]: has 41 characters; the maximum is 40"),
        (["x", ""], "body.tags[1]: must not be empty"),
        (["x", 3], "body.tags[1]: must be string, not number"),
        ("x", "body.tags: must be array, not string"),
    ],
)
def test_tags_over_their_limits_are_refused(api, refused, tags, problem):
    """The message names the place of the tag."""
    refused(create(api, tags=tags), 400, problem)


@pytest.mark.parametrize("field", WORKFLOW)
def test_a_missing_required_workflow_field_is_refused(api, refused, field):
    """The message names the missing field."""
    body = {name: value for name, value in WORKFLOW.items() if name != field}

    refused(api.post(api.path("workflows"), json=body), 400, f"body.{field}: is required")


def test_a_booking_summary_has_at_least_one_character(api, refused):
    """An empty summary is refused, a summary of one character is accepted."""
    refused(api.book(summary=""), 400, "body.summary: must not be empty")
    assert api.book(summary=ASTRAL).status_code == 201


@pytest.mark.parametrize(
    ("query", "page"),
    [("limit=1", 1), ("limit=100", 8), ("offset=0", 8), ("limit=100&offset=8", 0), (f"offset={'9' * 4300}", 0)],
)
def test_limit_and_offset_within_range_are_accepted(api, query, page):
    """`limit` is 1 to 100, `offset` 0 or more."""
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
        ("limit=ten", "query.limit: must be an integer"),
        ("limit=1.0", "query.limit: must be an integer"),
        ("limit=%D9%A1", "query.limit: must be an integer"),
        ("limit=%201", "query.limit: must be an integer"),
        ("offset=1e3", "query.offset: must be an integer"),
        ("limit=99999999999999999999999", "query.limit: is 99999999999999999999999; the maximum is 100"),
        (f"offset={'9' * 4301}", "query.offset: has 4301 characters; the maximum is 4300"),
    ],
)
def test_limit_and_offset_out_of_range_are_refused(api, refused, query, problem):
    """The message names the parameter."""
    refused(api.get(f"{api.path('agents')}?{query}"), 400, problem)
