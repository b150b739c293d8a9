"""All operations through the SDK, against the stub."""

from __future__ import annotations

import datetime
import io
from decimal import Decimal
from uuid import UUID, uuid4

import pikepdf
import pytest

from project_platform import (
    BadRequestError,
    NotFoundError,
    RetryPolicy,
    TokenEndpoint,
    operations,
)

NOON = datetime.datetime(2031, 5, 6, 12, tzinfo=datetime.UTC)


def test_check_permission_returns_whether_the_caller_has_it(way):
    """Operation 1: the owner may write records, the viewer may not."""
    assert way(lambda client, _: client.auth.check_permission("crm_objects:write")) is True

    viewer = way.ids["tokens"]["viewer"]
    assert way(lambda client, _: client.auth.check_permission("crm_objects:write"), token=viewer) is False


def test_a_workflow_is_returned_as_it_was_created(way):
    """Operation 2: all fields are stored, and the service adds identifier, revision and timestamps."""
    workflow = way(
        lambda _, project: project.workflows.create(
            name="N" * 200,
            trigger_type_slug="record",
            trigger_event_type="created",
            actions=[{"type": "mail", "ratio": 0.1}],
            description="D",
            tags=["a", "b"],
            trigger_condition={"any": [None, 1]},
            is_active=True,
        )
    )

    assert (workflow.name, workflow.tags, workflow.is_active) == ("N" * 200, ["a", "b"], True)
    assert workflow.actions == [{"type": "mail", "ratio": 0.1}]
    assert workflow.trigger_condition == {"any": [None, 1]}
    assert str(workflow.project_id) == way.ids["project_id"]
    assert isinstance(workflow.revision, str)
    assert workflow.created_at.utcoffset() is not None


def test_a_guard_may_repeat_a_read_value(way):
    """A number with more digits than a float survives reading and sending as a precondition."""
    digits = "0.1234567890123456789"
    record = way(lambda _, p: p.records.create(type_slug="deal", data={"rate": Decimal(digits), "n": 10**30}))

    updated = way(lambda _, p: p.records.update(record.id, data={"seen": True}, expected_data=record.data))

    assert updated.data["seen"] is True
    assert updated.data["n"] == 10**30


def test_a_naive_time_is_local_time_in_its_zone(way):
    """Operation 5: `timeZone` is the zone of start and end."""
    booking = way(
        lambda _, p: p.calendar.book(start=datetime.datetime(2031, 7, 1, 9), time_zone="Europe/Berlin", summary="Visit")
    )

    assert datetime.datetime.fromisoformat(booking.start) == datetime.datetime(2031, 7, 1, 7, tzinfo=datetime.UTC)


def test_busy_lists_the_intervals_that_overlap_the_range(way):
    """Operation 7: the start of the range is inclusive, its end exclusive."""
    way(lambda _, p: p.calendar.book(start=NOON, summary="Visit", duration_minutes=60))
    hour = datetime.timedelta(hours=1)

    def busy(start, end):
        return way(lambda _, p: p.calendar.busy(time_min=start, time_max=end))

    assert [datetime.datetime.fromisoformat(interval.start) for interval in busy(NOON, NOON + hour)] == [NOON]
    assert busy(NOON + hour, NOON + 2 * hour) == []
    assert busy(NOON - hour, NOON) == []


def test_the_sidebar_is_replaced_as_a_whole(way):
    """Operation 8: the entire section list is replaced; the SDK keeps fields that the contract does not have."""
    way(lambda _, p: p.sidebar.replace(sections=[{"id": "a"}, {"id": "b"}]))

    sidebar = way(
        lambda _, p: p.sidebar.replace(sections=[{"id": "c", "label": "C", "items": [{"label": "I", "href": "/i"}]}])
    )

    assert [section.id for section in sidebar.sections] == ["c"]
    assert sidebar.sections[0].items[0].href == "/i"
    assert way(lambda _, p: p.sidebar.replace(sections=sidebar.sections)) == sidebar


def test_a_template_creates_a_usable_sub_project(way):
    """Operation 9: the report lists the applied parts, and the sub-project accepts calls."""
    result = way(
        lambda _, p: p.templates.apply(
            way.ids["template"], name="Acme", variable_values={"client": "Acme", "contactEmail": "a@example.com"}
        )
    )

    report = result.template_apply.report
    counts = report.counts.model_dump(exclude_unset=True)
    assert isinstance(result.project.id, UUID)
    assert report.applied_count == sum(counts.values()) > 0
    assert report.missing_variables == []
    assert way(lambda _, p: p.agents.list(), project_id=result.project.id) == []


def test_memory_has_slugs_with_slashes(way):
    """Operation 10: only provided fields are updated; `/` is part of the slug."""
    before = way(lambda _, p: p.memory.update("brand/voice"))

    after = way(lambda _, p: p.memory.update("brand/voice", title="New", metadata={"k": 1.5}))

    assert (after.slug, after.title, after.metadata) == ("brand/voice", "New", {"k": 1.5})
    assert after.content == before.content


def test_a_like_counts_once(way):
    """Operation 11: liking twice has the effect of liking once."""
    post, account = way.ids["posts"][0], way.ids["accounts"][0]

    assert way(lambda _, p: p.engagement.like(post, account_id=account)) is True
    assert way(lambda _, p: p.engagement.like(post, account_id=UUID(account))) is True


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_agents_are_complete_for_every_page_size(way, limit):
    """Operation 12: iterating gives every agent once, in order."""
    agents = way(lambda _, p: p.agents.list(limit=limit))

    assert [agent.id for agent in agents] == way.ids["agents"]
    assert {agent.access for agent in agents} == {"project_member"}


def test_a_page_has_its_position(way):
    """Operation 12: limit, offset and hasMore are on the page."""
    page = way(lambda _, p: p.agents.list(limit=3, offset=2).first_page())

    assert (page.limit, page.offset, page.has_more, page.next_offset) == (3, 2, True, 5)
    assert [agent.id for agent in page.items] == way.ids["agents"][2:5]


def test_a_missing_configuration_is_none(way):
    """Operation 13: the configuration is null when not configured."""
    assert way(lambda _, p: p.web_analytics.get_config()).enabled is True
    assert way(lambda _, p: p.web_analytics.get_config(), project_id=way.ids["other_project_id"]) is None


def test_posts_are_filtered_by_name(way):
    """Operation 14: filters are sent by name; the stub refuses unknown ones with their names."""
    posts = way(lambda _, p: p.posts.list())
    failed = way(lambda _, p: p.posts.list(filters={"status": "failed"}))

    assert [str(post.id) for post in posts] == way.ids["posts"]
    assert {post.status for post in failed} == {"failed"}
    assert failed[0].media[0].size_bytes > 0
    with pytest.raises(BadRequestError, match="colour"):
        way(lambda _, p: p.posts.list(filters={"colour": "red"}))


def test_media_have_their_figures(way):
    """Operation 15: engagement, reach and interaction figures are integers."""
    media = way(lambda _, p: p.photo_analytics.list_media(way.ids["accounts"][1]))

    assert len(media) >= 3
    assert all(isinstance(item.reach, int) and isinstance(item.like_count, int) for item in media)
    with pytest.raises(NotFoundError):
        way(lambda _, p: p.photo_analytics.list_media(uuid4()))


def test_labels_are_a_pdf_with_summary_and_review(way, tmp_path):
    """Operation 16: landscape Letter, a summary in the header, the review attached; saved unchanged."""
    sheet = way(lambda _, p: p.labels.export(menu_month="2026-11", include_unapproved=True, stock="5x3.5"))

    path = sheet.save(tmp_path / "labels.pdf")

    with pikepdf.open(io.BytesIO(path.read_bytes())) as pdf:
        assert [float(x) for x in pdf.pages[0].mediabox] == [0, 0, 792, 612]
        assert len(pdf.pages) == sheet.summary.sheet_count
    assert sheet.summary.problem is None
    assert len(sheet.review["labels"]) == sheet.summary.label_count == 6


def test_a_token_endpoint_serves_the_whole_client(way):
    """Authentication 2: tokens from `/api/auth/token`, with a session credential."""
    source = TokenEndpoint(way.ids["sessions"]["owner"])

    assert way(lambda client, _: client.auth.check_permission("billing:read"), token=source) is True


def test_a_raw_response_has_status_headers_and_attempts(way):
    """`client.send(call)` returns the value with its response."""
    call = operations.records_create(way.ids["project_id"], type_slug="deal", data={"a": 1})
    answer = way(lambda client, _: client.send(call), retry=RetryPolicy(max_attempts=1))

    assert (answer.status, answer.applied, answer.value.data) == (201, "yes", {"a": 1})
    assert answer.headers["X-Request-Id"] == answer.attempts[0].request_id
