"""The deadline is the time for the whole call, whatever takes it: a request has what the steps before it left.

No test compares how long a call took: a request states the time that it has, and what a step took is more than it slept.
"""

from __future__ import annotations

import itertools
import json
import time

import anyio
import pytest

from project_platform import AsyncClient, Client, NotSentError, Options, Response, RetryPolicy, TokenEndpoint
from project_platform.models import ObjectRecord

from .service_time import ALLOWED, JSON, STALL, TOKEN_PATH, AsyncService, Service

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
DEADLINE = 60.0
TAKES = 0.2  # seconds that a step takes at least
SHORT = 1.0  # the deadline of what does not end by itself
OPEN = ObjectRecord(id="r1", data={"stage": "open"})
STALE = Response(409, JSON, b'{"message": "stale"}')


def within(deadline):
    """Return options with a deadline, and without waits."""
    return Options(retry=RetryPolicy(initial_delay=0.0, deadline=deadline))


def current(stage):
    """Return the response to an update of the record, whose stage is then this one."""
    return Response(200, JSON, json.dumps({"record": {"id": "r1", "data": {"stage": stage}}}).encode())


def use_client(way, script, use, token="t"):
    """Call `use` with a client, and return the error, None if there is none, and the requests."""

    def ended(error=None):
        return error, service.requests

    if way == "sync":
        service = Service(script)
        with Client("https://p.example", transport=service, token=token) as client:
            try:
                use(client)
            except Exception as error:  # the tests compare it
                return ended(error)
        return ended()
    service = AsyncService(script)

    async def use_async():
        async with AsyncClient("https://p.example", transport=service, token=token) as client:
            try:
                await use(client)
            except Exception as error:  # the tests compare it
                return ended(error)
        return ended()

    return anyio.run(use_async, backend=way)


def modify(client, edit, refresh="never", **options):
    """Modify the record."""
    deals = client.project(PROJECT).records.of("deal", refresh=refresh)
    return deals.modify(deals.wrap(OPEN), edit, **options)


def test_a_request_has_what_the_token_left_of_the_deadline(way):
    """Both are parts of one call."""

    def script(request):
        is_token = request.url.endswith(TOKEN_PATH)
        return (TAKES, Response(200, JSON, b'{"token": "t"}')) if is_token else (0.0, ALLOWED)

    error, (for_token, request) = use_client(
        way,
        script,
        lambda client: client.auth.check_permission("agents:read", options=within(DEADLINE)),
        TokenEndpoint("s"),
    )

    assert error is None
    assert for_token.timeout.total <= DEADLINE
    assert request.timeout.total <= DEADLINE - TAKES


def test_a_look_has_what_the_update_left_of_the_deadline(way):
    """The update is lost, its repetition is refused, and then the record is looked at."""
    answers = iter([(TAKES, Response(503)), (0.0, STALE), (0.0, current("won"))])

    def use(client):
        change = client.project(PROJECT).records.change(OPEN, {"stage": "won"})
        return client.settle(change, options=within(DEADLINE))

    error, requests = use_client(way, lambda request: next(answers), use)

    assert (error, len(requests)) == (None, 3)
    assert requests[-1].timeout.total <= DEADLINE - TAKES


def test_all_rounds_of_modify_share_the_deadline_of_their_options(way):
    """Every snapshot is stale, and every refresh takes time; the last request has what is left."""
    numbers = itertools.count()

    def script(request):
        return (0.0, STALE) if b"expectedData" in request.body else (TAKES, current(f"stage {next(numbers)}"))

    def use(client):
        options = within(DEADLINE)
        return modify(client, lambda data: {"stage": data["stage"] + "!"}, "noop", max_snapshots=3, options=options)

    error, requests = use_client(way, script, use)

    assert (error.applied, len(requests)) == ("no", 6)
    assert requests[0].timeout.total <= DEADLINE
    assert requests[-1].timeout.total <= DEADLINE - 2 * TAKES


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
@pytest.mark.parametrize("place", ["token", "edit", "refresh"])
def test_an_async_function_of_the_user_that_hangs_is_cancelled_in_time(backend, place):
    """The call ends at its deadline, and what the function was for is not sent."""
    cancelled: list[str] = []

    async def hang(*_):
        try:
            await anyio.sleep(STALL)
        finally:
            cancelled.append(place)

    def use(client):
        edit = hang if place == "edit" else lambda data: {"stage": "won"}
        return modify(client, edit, hang, options=within(SHORT))

    began = time.monotonic()
    error, requests = use_client(backend, lambda request: (0.0, STALE), use, token=hang if place == "token" else "t")

    assert (type(error), error.applied, cancelled) == (NotSentError, "no", [place])
    assert time.monotonic() - began < STALL
    assert len(requests) == (1 if place == "refresh" else 0)


@pytest.mark.parametrize("place", ["token", "edit"])
def test_nothing_is_sent_after_a_function_that_blocked_too_long(way, place):
    """A function that is not asynchronous cannot be interrupted; its time counts."""

    def block(*_):
        time.sleep(1.2 * SHORT)
        return "t" if place == "token" else {"stage": "won"}

    def use(client):
        return modify(client, block if place == "edit" else lambda data: {"stage": "won"}, options=within(SHORT))

    error, requests = use_client(way, lambda request: (0.0, ALLOWED), use, token=block if place == "token" else "t")

    assert (type(error), error.applied, requests) == (NotSentError, "no", [])
    assert error.operation_id == "records_update"
