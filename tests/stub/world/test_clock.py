"""The clock of a world, and the times that depend on it."""

from __future__ import annotations

import io
from datetime import UTC, datetime, timedelta

import pikepdf
import pytest

from project_platform_stub import Clock, Profile, Stub
from project_platform_stub.world.clock import system_time

from ..conftest import Api

NOON = datetime(2026, 11, 2, 12, tzinfo=UTC)


def test_it_is_frozen_until_it_runs_again(clock):
    """Moving a frozen clock does not start it."""
    ours = Clock(clock)

    ours.freeze(NOON)
    clock.advance(days=1)
    ours.advance(60)
    assert ours.frozen
    assert ours.now() == NOON + timedelta(seconds=60)

    ours.run()
    clock.advance(seconds=1)
    assert not ours.frozen
    assert ours.now() == NOON + timedelta(seconds=61)


def test_a_moment_without_a_zone_is_refused_and_changes_nothing(clock):
    ours = Clock(clock)
    before = ours.now()

    for move in (ours.set, ours.freeze):
        with pytest.raises(ValueError, match="2026-11-02T12:00:00 has no time zone"):
            move(datetime(2026, 11, 2, 12))  # the mistake under test

    assert (ours.now(), ours.frozen) == (before, False)


def test_a_world_starts_at_a_given_time():
    """Its demo data are dated around that day, and new timestamps follow."""
    stub = Stub(now=system_time)
    world = stub.worlds.create(at=datetime(2031, 5, 1, 9, tzinfo=UTC))

    (event,) = world.project.events.values()

    assert event.start == datetime(2031, 5, 2, 9, tzinfo=UTC)
    assert world.clock.now().date().isoformat() == "2031-05-01"


def test_a_due_post_is_published(api, stub):
    """From its scheduled time on, in lists, in filters and for likes."""
    (post,) = [item for item in stub.project.posts.values() if item["status"] == "scheduled"]
    due = datetime.fromisoformat(post["scheduledFor"])
    page = next(item["id"] for item in stub.project.accounts.values() if item["platform"] == "pagenet")

    def seen() -> dict:
        posts = api.get(f"/socials/posts/{stub.project.id}").json()["data"]["posts"]
        return next(item for item in posts if item["id"] == post["id"])

    def like() -> int:
        path = f"/socials/engagement/pagenet/{stub.project.id}/{post['id']}/like"
        return api.post(path, json={"accountId": page}).status_code

    stub.world.clock.freeze(due - timedelta(seconds=1))
    api.headers["Authorization"] = f"Bearer {stub.token()}"
    assert (seen()["status"], seen()["publishedAt"], like()) == ("scheduled", None, 404)

    stub.world.clock.advance(1)

    assert seen()["status"] == "published"
    assert seen()["publishedAt"] == post["scheduledFor"]
    assert seen()["permalink"].endswith(post["id"])
    assert like() == 200
    published = api.get(f"/socials/posts/{stub.project.id}?status=published").json()["data"]["posts"]
    assert post["id"] in [item["id"] for item in published]


@pytest.mark.parametrize("when", ["someday", "2026-11-02T12:00:00", None, ""])
def test_a_post_without_a_moment_is_never_due(api, stub, when):
    """`scheduledFor` is free text, so a value that is not a timestamp never comes due."""
    (post,) = [item for item in stub.project.posts.values() if item["status"] == "scheduled"]
    stub.project.posts[post["id"]] = {**post, "scheduledFor": when}

    posts = api.get(f"/socials/posts/{stub.project.id}").json()["data"]["posts"]

    assert next(item["status"] for item in posts if item["id"] == post["id"]) == "scheduled"


def test_a_label_sheet_is_dated_by_it(api, stub):
    """The same labels give the same bytes while the clock is frozen, and the sheet has its date."""

    def export() -> bytes:
        return api.post(api.path("menu-items", "label-export"), json={"menuMonth": "2026-11"}).content

    stub.world.clock.freeze(NOON)
    api.headers["Authorization"] = f"Bearer {stub.token()}"
    before, same = export(), export()
    stub.world.clock.advance(3600)
    later = export()

    assert before == same
    for content, date in ((before, "D:20261102120000Z"), (later, "D:20261102130000Z")):
        with pikepdf.open(io.BytesIO(content)) as pdf:
            assert [str(pdf.docinfo[name]) for name in ("/CreationDate", "/ModDate")] == [date, date]


def test_a_profile_keeps_due_posts_scheduled():
    """`publishDuePosts: false` is for services that publish at other times."""
    stub = Stub(profile=Profile(publish_due_posts=False))
    stub.world.clock.advance(10 * 24 * 3600)

    with Api(stub, stub.token()) as api:
        posts = api.get(f"/socials/posts/{stub.project.id}").json()["data"]["posts"]

    assert "scheduled" in [post["status"] for post in posts]
