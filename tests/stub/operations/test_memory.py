"""Endpoints 10: update memory entry."""

from __future__ import annotations

import pytest


@pytest.mark.parametrize("slug", ["welcome", "brand/voice", "brand/voice/café"])
def test_an_entry_is_addressed_by_its_slug(api, clock, slug):
    """A slug with `/` is sent as one percent-encoded segment."""
    clock.advance(minutes=1)

    response = api.call("memory_update", slug=slug, title="New")

    entry = response.json()["entry"]
    assert response.status_code == 200
    assert (entry["slug"], entry["title"], entry["updatedAt"]) == (slug, "New", "2026-11-02T08:31:00.000000Z")


@pytest.mark.parametrize(
    "change",
    [
        {},
        {"title": "T"},
        {"description": "D"},
        {"content": "C"},
        {"metadata": {"a": 1}},
        {"title": "", "description": None},
    ],
)
def test_only_given_fields_are_updated(api, stub, change):
    """All others are unchanged; metadata is replaced as a whole, and null clears a field."""
    before = stub.project.memory["welcome"]

    entry = api.call("memory_update", **change).json()["entry"]

    assert entry == {**before, **change, "updatedAt": "2026-11-02T08:30:00.000000Z"}
    assert stub.project.memory["welcome"] == entry


def test_slug_and_id_cannot_be_changed(api):
    """They are not fields of the body, so they are ignored."""
    body = {"slug": "x", "id": "y", "projectId": "z"}
    entry = api.patch(api.path("memory-entries", "welcome"), json=body).json()["entry"]

    assert entry["slug"] == "welcome"
    assert entry["id"] != "y"
