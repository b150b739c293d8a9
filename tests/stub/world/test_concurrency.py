"""The checks and the writes of an operation are one step under concurrency."""

from __future__ import annotations

import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from project_platform_stub.world.store import Contents, Rows

CALLERS = 64


@pytest.fixture
def concurrently():
    """Return a function that calls another from 64 threads at the same time and returns the status codes."""

    def concurrently(call):
        start = threading.Barrier(CALLERS)

        def one(number):
            start.wait()
            return call(number).status_code

        with ThreadPoolExecutor(CALLERS) as pool:
            return Counter(pool.map(one, range(CALLERS)))

    return concurrently


@pytest.fixture
def slow_writes(monkeypatch):
    """Yield to other threads between the check and the write of an operation; only the lock can prevent a race."""

    def slow(method):
        def dawdle(*arguments):
            time.sleep(0.001)
            return method(*arguments)

        return dawdle

    monkeypatch.setattr(Rows, "__getitem__", slow(Rows.__getitem__))
    monkeypatch.setattr(Contents, "new_id", slow(Contents.new_id))


@pytest.fixture(params=["in process", "socket"])
def send(request, api, stub, connect):
    return api.request if request.param == "in process" else connect(stub).request


@pytest.mark.usefixtures("slow_writes")
def test_one_of_many_guarded_updates_is_applied(api, send, stub, concurrently):
    """64 updates with the same guard: one is applied, all others are conflicts."""
    record = api.create(data={"stage": "open", "by": -1})
    path = api.path("object-records", record["id"])

    responses = concurrently(
        lambda number: send(
            "PATCH", path, json={"data": {"stage": "won", "by": number}, "expectedData": {"stage": "open"}}
        )
    )

    assert responses == {200: 1, 409: CALLERS - 1}
    assert stub.project.records[record["id"]]["data"]["stage"] == "won"


@pytest.mark.usefixtures("slow_writes")
def test_one_of_many_bookings_gets_the_slot(api, send, stub, concurrently):
    """64 bookings of the same slot: one is written and one attendee is invited."""
    body = {"start": "2026-11-10T09:00:00Z", "summary": "S", "attendee": {"email": "a@example.com"}}

    responses = concurrently(lambda number: send("POST", api.path("calendar", "provider", "events"), json=body))

    assert responses == {201: 1, 409: CALLERS - 1}
    assert len(stub.outbox) == 1
