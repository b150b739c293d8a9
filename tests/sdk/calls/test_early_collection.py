"""Large responses are read without a collection of the whole heap, which takes tens of milliseconds."""

from __future__ import annotations

import contextlib
import gc
import json

import httpx
import pytest

from project_platform.calls import early_collection
from project_platform.calls.early_collection import LARGE, collect_before, middle_is_due

from ..wire import PROJECT

PAGE = json.dumps({"agents": [{"id": "a", "description": "x" * 6000}] * 100, "pagination": {"hasMore": False}}).encode()
DEFAULT = (700, 10, 10)

generational = pytest.mark.skipif(
    not early_collection.HELPS, reason="this Python's collector does not need an early collection"
)


@contextlib.contextmanager
def collections():
    """Yield a list of the generations that are collected in the meantime."""
    seen = []

    def note(phase, info):
        if phase == "start":
            seen.append(info["generation"])

    gc.callbacks.append(note)
    try:
        yield seen
    finally:
        gc.callbacks.remove(note)


@pytest.mark.parametrize(
    ("size", "count", "threshold", "due"),
    [
        (LARGE, (0, 10, 0), DEFAULT, False),
        (LARGE, (300, 10, 0), DEFAULT, True),
        (60_000, (0, 8, 0), DEFAULT, False),
        (60_000, (0, 9, 0), DEFAULT, True),
        (60_000, (0, 10, 0), (10_000, 10, 10), False),
        (10_000_000, (0, 0, 0), DEFAULT, True),
        (10_000_000, (0, 10, 0), (0, 10, 10), False),
    ],
)
def test_the_middle_generation_is_due_if_reading_exceeds_its_threshold(size, count, threshold, due):
    """A response of 60 kB leads to two collections of the youngest generation; a threshold of 0 disables all of them."""
    assert middle_is_due(size, count, threshold) is due


@generational
def test_small_responses_and_a_disabled_collector_collect_nothing():
    """Only a response of 16 KiB or more can be preceded by a collection, and only if the collector is enabled."""
    with collections() as seen:
        gc.disable()
        try:
            collect_before(10_000_000)
        finally:
            gc.enable()
        for _ in range(100):
            collect_before(LARGE - 1)
        assert seen == []
        collect_before(10_000_000)
    assert seen == [1]


@pytest.mark.parametrize("switched_on", [True, False])
def test_a_client_can_leave_the_collector_alone(connect, service, monkeypatch, switched_on):
    service.will(*[httpx.Response(200, content=PAGE)] * 20)
    project = connect(**({} if switched_on else {"collect_before_large_responses": False})).project(PROJECT)
    started = []
    monkeypatch.setattr(gc, "collect", started.append)

    for _ in range(20):
        assert len(list(project.agents.list(limit=100))) == 100

    assert set(started) == ({1} if switched_on and early_collection.HELPS else set())
