"""Redirects of reads are followed within the origin of the base URL; other redirects are not followed."""

from __future__ import annotations

import pytest

from project_platform import PlatformError

from ..wire import PROJECT, call_by_name


@pytest.mark.parametrize(
    "call", [("posts.list", [], {}), ("memory.update", ["s"], {"title": "T"}), ("labels.export", [], {})]
)
@pytest.mark.parametrize("status", [301, 302, 307, 308])
def test_the_token_never_goes_to_another_origin(wired, router, call, status):
    """No redirect to another origin is followed, neither for reads nor for writes."""
    router.route(host="platform.example").respond(status, headers={"Location": "https://evil.example/take"})

    with pytest.raises(PlatformError, match=r"redirects \w+ to https://evil\.example, which is not followed"):
        call_by_name(wired, *call)

    assert {sent.request.url.host for sent in router.calls} == {"platform.example"}


def test_a_redirect_within_the_origin_is_followed_with_the_token(wired, router, token):
    """A redirect of a read within the origin is followed."""
    router.get(f"/socials/posts/{PROJECT}").respond(308, headers={"Location": "/moved"})
    moved = router.get("/moved").respond(200, json={"data": {"posts": [{"caption": "hello"}]}})

    (post,) = call_by_name(wired, "posts.list", [], {})

    assert post.caption == "hello"
    assert moved.calls.last.request.headers["authorization"] == f"Bearer {token}"


def test_a_query_belongs_to_the_place_it_was_meant_for(wired, router):
    """The URL of a redirect is used with its query."""
    router.get(f"/socials/posts/{PROJECT}").respond(302, headers={"Location": "/moved?v=2"})
    moved = router.get("/moved").respond(200, json={"data": {"posts": []}})

    assert call_by_name(wired, "posts.list", [], {"filters": {"status": "failed"}}) == []

    assert moved.calls.last.request.url.raw_path == b"/moved?v=2"
