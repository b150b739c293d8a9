"""The deadline measured by the clock on the wall: it is the time for the whole call, whatever takes it."""

from __future__ import annotations

import itertools
import json
import time

import anyio
import pytest

from project_platform import (
    AsyncClient,
    Client,
    NotSentError,
    Options,
    OutcomeUnknownError,
    Response,
    RetryPolicy,
    TimeoutError,
    TokenEndpoint,
)
from project_platform.models import ObjectRecord

from .service_time import ALLOWED, JSON, STALL, TOKEN_PATH, AsyncService, Service, call_at_once

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
DEADLINE = 2.0
MARGIN = 1.2  # seconds that a loaded machine may take; without a shared deadline each of these calls takes longer
AT_ONCE = RetryPolicy(initial_delay=0.0, deadline=DEADLINE)
OPEN = ObjectRecord(id="r1", data={"stage": "open"})
STALE = Response(409, JSON, b'{"message": "stale"}')


def current(stage):
    """Return the response to an update of the record, whose stage is then this one."""
    return Response(200, JSON, json.dumps({"record": {"id": "r1", "data": {"stage": stage}}}).encode())


def use_records(way, script, use, **options):
    """Same as `use_client`, but with the records of a project."""
    return use_client(way, script, lambda client: use(client.project(PROJECT).records), **options)


def use_client(way, script, use, **options):
    """Call `use` with a client, and return the error, the seconds that it took, and the requests."""
    began = time.monotonic()
    if way == "sync":
        service = Service(script)
        with Client("https://p.example", transport=service, retry=AT_ONCE, **options) as client:
            with pytest.raises(Exception) as raised:  # the tests compare its type
                use(client)
        return raised.value, time.monotonic() - began, service.requests
    service = AsyncService(script)

    async def use_async():
        async with AsyncClient("https://p.example", transport=service, retry=AT_ONCE, **options) as client:
            with pytest.raises(Exception) as raised:  # the tests compare its type
                await use(client)
        return raised.value

    error = anyio.run(use_async, backend=way)
    return error, time.monotonic() - began, service.requests


def modify(records, edit, refresh="never", **options):
    """Modify the record."""
    deals = records.of("deal", refresh=refresh)
    return deals.modify(deals.wrap(OPEN), edit, **options)


def test_a_token_and_an_answer_share_the_deadline(way):
    """Both are in time by themselves, and not together."""

    def script(request):
        return (
            (0.9 * DEADLINE, Response(200, JSON, b'{"token": "t"}'))
            if request.url.endswith(TOKEN_PATH)
            else (STALL, ALLOWED)
        )

    (ended,), service = call_at_once(way, script, TokenEndpoint("s"), [DEADLINE])

    assert isinstance(ended.error, TimeoutError)
    assert ended.seconds < DEADLINE + MARGIN
    assert len(service.requests) == 2


def test_a_settled_update_and_its_look_share_the_deadline(way):
    """The update is lost, its repetition is refused, and the look gets what is left of the time."""
    answers = iter([(DEADLINE / 2, Response(503)), (0.0, STALE), (STALL, current("lost"))])

    def use(client):
        return client.settle(client.project(PROJECT).records.change(OPEN, {"stage": "won"}))

    error, seconds, requests = use_client(way, lambda request: next(answers), use, token="t")

    assert isinstance(error, OutcomeUnknownError)
    assert seconds < DEADLINE + MARGIN
    assert requests[-1].timeout.total < DEADLINE / 2
    assert len(requests) == 3


def test_all_rounds_of_modify_share_the_deadline_of_their_options(way):
    """Every snapshot is stale, and every refresh takes time; the last request has what is left."""
    numbers = itertools.count()

    def script(request):
        return (0.0, STALE) if b"expectedData" in request.body else (0.2, current(f"stage {next(numbers)}"))

    def use(records):
        hasty = Options(retry=RetryPolicy(initial_delay=0.0, deadline=DEADLINE / 2))
        return modify(records, lambda data: {"stage": data["stage"] + "!"}, "noop", max_snapshots=50, options=hasty)

    error, seconds, requests = use_records(way, script, use, token="t")

    assert error.applied == "no"
    assert seconds < DEADLINE / 2 + MARGIN
    assert requests[0].timeout.total <= DEADLINE / 2
    assert requests[-1].timeout.total < requests[0].timeout.total - 0.3


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

    def use(records):
        edit = hang if place == "edit" else lambda data: {"stage": "won"}
        return modify(records, edit, hang)

    error, seconds, requests = use_records(
        backend, lambda request: (0.0, STALE), use, token=hang if place == "token" else "t"
    )

    assert (type(error), error.applied, cancelled) == (NotSentError, "no", [place])
    assert seconds < DEADLINE + MARGIN
    assert len(requests) == (1 if place == "refresh" else 0)


@pytest.mark.parametrize("place", ["token", "edit"])
def test_nothing_is_sent_after_a_function_that_blocked_too_long(way, place):
    """A function that is not asynchronous cannot be interrupted; its time counts."""

    def block(*_):
        time.sleep(1.2 * DEADLINE)
        return "t" if place == "token" else {"stage": "won"}

    def use(records):
        return modify(records, block if place == "edit" else lambda data: {"stage": "won"})

    error, _, requests = use_records(
        way, lambda request: (0.0, current("lost")), use, token=block if place == "token" else "t"
    )

    assert (type(error), error.applied, requests) == (NotSentError, "no", [])
    assert error.operation_id == "records_update"
