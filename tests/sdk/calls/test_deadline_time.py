"""The deadline is the time for the whole call, whatever takes it: a request has what the steps before it left.

No test compares how long a call took: a request states the time that it has, and what a step took is more than it slept.
"""

from __future__ import annotations

import itertools
import json
import time

import anyio
import pytest

from project_platform import NotSentError, Options, PlatformError, Response, RetryPolicy, StalePreconditionError
from project_platform.models import ObjectRecord

from ..conftest import PROJECT
from .service_time import JSON, STALL, AsyncService, Service

DEADLINE = 60.0
TAKES = 0.2  # seconds that a step takes at least
SHORT = 1.0  # the deadline of what does not end by itself
OPEN = ObjectRecord(id="r1", data={"stage": "open"})
STALE = Response(409, JSON, b'{"message": "stale"}')


def within(deadline):
    return Options(retry=RetryPolicy(initial_delay=0.0, deadline=deadline))


def current(stage):
    """Return the response to an update of the record, whose stage is then this one."""
    return Response(200, JSON, json.dumps({"record": {"id": "r1", "data": {"stage": stage}}}).encode())


@pytest.fixture
def timed(connect, way):
    """Return a function that returns a service that takes its time, and a client of it."""

    def timed(script, token="t"):
        service = (Service if way == "sync" else AsyncService)(script)
        return service, connect(token=token, transport=service)

    return timed


def modify(client, edit, refresh="never", **options):
    deals = client.project(PROJECT).records.of("deal", refresh=refresh)
    return deals.modify(deals.wrap(OPEN), edit, **options)


def test_all_rounds_of_modify_share_the_deadline_of_their_options(timed):
    """Every snapshot is stale, and every refresh takes time; the last request has what is left."""
    numbers = itertools.count()

    def script(request):
        return (0.0, STALE) if b"expectedData" in request.body else (TAKES, current(f"stage {next(numbers)}"))

    service, client = timed(script)

    with pytest.raises(StalePreconditionError):
        modify(
            client,
            lambda data: {"stage": data["stage"] + "!"},
            "noop",
            max_snapshots=3,
            options=within(DEADLINE),
        )

    assert len(service.requests) == 6
    assert service.requests[0].timeout.total <= DEADLINE
    assert service.requests[-1].timeout.total <= DEADLINE - 2 * TAKES


@pytest.mark.parametrize("place", ["token", "edit", "refresh"])
def test_an_async_function_of_the_user_that_hangs_is_cancelled_in_time(timed, way, place):
    """The call ends at its deadline, and what the function was for is not sent."""
    if way == "sync":
        pytest.skip("a synchronous client refuses asynchronous functions")
    cancelled: list[str] = []

    async def hang(*_):
        try:
            await anyio.sleep(STALL)
        finally:
            cancelled.append(place)

    service, client = timed(lambda request: (0.0, STALE), token=hang if place == "token" else "t")
    edit = hang if place == "edit" else lambda data: {"stage": "won"}
    began = time.monotonic()

    with pytest.raises(PlatformError) as raised:
        modify(client, edit, hang, options=within(SHORT))

    conflict = raised.value if place == "refresh" else None
    assert isinstance(conflict.__cause__ if conflict else raised.value, NotSentError)
    assert (raised.value.applied, cancelled) == ("no", [place])
    assert time.monotonic() - began < STALL
    assert len(service.requests) == (1 if place == "refresh" else 0)
