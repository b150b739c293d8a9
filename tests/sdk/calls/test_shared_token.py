"""Threads, tasks and event loops that need a token at the same time share one request, each within its own deadline."""

from __future__ import annotations

import itertools
import json
import os
import signal
import sys
import threading
import time

import anyio
import pytest

from project_platform import (
    AsyncClient,
    AuthenticationError,
    NotSentError,
    Response,
    ServerError,
    TimeoutError,
    TokenEndpoint,
    UsageError,
)

from .service_time import ALLOWED, JSON, STALL, TOKEN_PATH, AsyncService, call_at_once

MARGIN = 5.0  # seconds that a loaded machine may take
PATIENT = 30.0
SOON = 2.0  # seconds; a caller with this deadline sends its request before it


def issued(token: str) -> Response:
    return Response(200, JSON, json.dumps({"token": token}).encode())


def is_token_request(request) -> bool:
    return request.url.endswith(TOKEN_PATH)


def test_callers_share_the_error_of_one_request(way):
    """Eight calls end with the error of one token request; each has an error with its own note."""

    def failing(request):
        assert is_token_request(request)
        return 2.0, Response(503)  # all others call in the meantime

    ends, service = call_at_once(way, failing, TokenEndpoint("s"), [PATIENT] * 8)

    assert service.tokens_fetched() == 1
    errors = [ended.error for ended in ends]
    assert {type(error) for error in errors} == {ServerError}
    assert {(error.operation_id, error.applied, len(error.__notes__)) for error in errors} == {("token", "no", 1)}
    assert len({id(error) for error in errors}) == 8


def test_a_caller_that_waits_ends_at_its_own_deadline(way):
    """A patient caller's request does not make a hasty one wait."""
    deadline, issues_at = 0.5, 3.5  # seconds; a caller with this deadline sends nothing before it

    def slow(request):
        return (issues_at, issued("t")) if is_token_request(request) else (0.0, ALLOWED)

    ends, _ = call_at_once(way, slow, TokenEndpoint("s"), [PATIENT, *[deadline] * 3, PATIENT])

    hasty = [ended for ended in ends if ended.error is not None]
    assert len(hasty) == 3
    assert max(ended.seconds for ended in hasty) < issues_at - 0.5
    assert [ended.result for ended in ends if ended.error is None] == [True, True]


def test_another_caller_fetches_the_token_if_the_first_runs_out_of_time(way):
    """The end of one caller's time says nothing about the service."""
    hanging = iter([True])

    def respond(request):
        if not is_token_request(request):
            return 0.0, ALLOWED
        return (STALL, ALLOWED) if next(hanging, False) else (0.0, issued("t"))

    ends, service = call_at_once(way, respond, TokenEndpoint("s"), [SOON, *[PATIENT] * 4])

    assert [ended.result for ended in ends] == [None, *[True] * 4]
    assert isinstance(ends[0].error, NotSentError)
    assert isinstance(ends[0].error.__cause__, TimeoutError)
    assert service.tokens_fetched() == 2
    assert max(ended.seconds for ended in ends) < SOON + MARGIN


def test_callers_do_not_wait_for_a_caller_that_exceeds_its_own_deadline(way):
    """A transport may not end in time, and the event loop of a task may be blocked; other threads and loops go on."""
    endpoint, blocked, go_on = TokenEndpoint("s"), threading.Event(), threading.Event()

    def block(request):
        blocked.set()
        go_on.wait(PATIENT)
        return 0.0, issued("late") if is_token_request(request) else ALLOWED

    first = threading.Thread(target=call_at_once, args=[way, block, endpoint, [SOON]])
    first.start()
    assert blocked.wait(PATIENT)
    began = time.monotonic()
    (ended,), service = call_at_once(
        way, lambda request: (0.0, issued("t") if is_token_request(request) else ALLOWED), endpoint, [PATIENT]
    )
    seconds = time.monotonic() - began
    go_on.set()
    first.join(PATIENT)

    assert (ended.result, service.tokens_fetched()) == (True, 1)
    assert seconds < SOON + MARGIN


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_another_task_fetches_the_token_if_the_first_is_cancelled(backend):
    hanging = iter([True])

    def respond(request):
        if not is_token_request(request):
            return 0.0, ALLOWED
        return (STALL, ALLOWED) if next(hanging, False) else (0.0, issued("t"))

    async def cancel_the_first() -> tuple[list[bool], int]:
        service, results = AsyncService(respond), []
        async with AsyncClient("https://p.example", token=TokenEndpoint("s"), transport=service) as client:

            async def call() -> None:
                results.append(await client.auth.check_permission("agents:read"))

            async with anyio.create_task_group() as others:
                async with anyio.create_task_group() as first:
                    first.start_soon(call)
                    await anyio.wait_all_tasks_blocked()
                    for _ in range(3):
                        others.start_soon(call)
                    await anyio.wait_all_tasks_blocked()
                    first.cancel_scope.cancel()
        return results, service.tokens_fetched()

    began = time.monotonic()
    results, fetched = anyio.run(cancel_the_first, backend=backend)

    assert (results, fetched) == ([True] * 3, 2)
    assert time.monotonic() - began < PATIENT


@pytest.mark.parametrize("token_after", ["the-same", "another"])
def test_calls_that_are_refused_with_the_same_token_fetch_one_other(way, token_after):
    """Seventeen calls are refused one after another; the endpoint issues the same token again, or another one."""
    tokens, delays = iter(["the-same", token_after]), itertools.count(1)

    def respond(request):
        if is_token_request(request):
            return 0.02, issued(next(tokens))
        if request.headers["authorization"] == "Bearer another":
            return 0.0, ALLOWED
        return 0.02 * next(delays), Response(401)

    ends, service = call_at_once(way, respond, TokenEndpoint("s"), [PATIENT] * 17)

    expected = (None, True) if token_after == "another" else (AuthenticationError, None)
    assert {(ended.error and type(ended.error), ended.result) for ended in ends} == {expected}
    assert service.tokens_fetched() == 2


def test_threads_and_event_loops_share_one_request():
    """A token endpoint may be shared by a `Client` and by `AsyncClient`s of several event loops."""
    answering = threading.Event()
    fetched: list[str] = []

    def respond(request):
        if not is_token_request(request):
            return 0.0, ALLOWED
        fetched.append(request.url)
        answering.set()
        return 3.0, issued("t")  # all others call in the meantime

    endpoint, results = TokenEndpoint("s"), []

    def call(way: str) -> None:
        (ended,), _ = call_at_once(way, respond, endpoint, [PATIENT])
        results.append(ended.result)

    ways = ("sync", "sync", "asyncio", "asyncio", "trio")
    threads = [threading.Thread(target=call, args=[way]) for way in ways]
    threads[0].start()
    assert answering.wait(PATIENT)
    for thread in threads[1:]:
        thread.start()
    for thread in threads:
        thread.join(PATIENT)

    assert results == [True] * 5
    assert len(fetched) == 1


@pytest.mark.skipif(sys.platform == "win32", reason="Windows has no fork")
@pytest.mark.filterwarnings("ignore:This process .* is multi-threaded:DeprecationWarning")
def test_a_forked_child_does_not_wait_for_a_thread_of_its_parent(way):
    """The thread that fetches a token does not exist in the child, whose next call fetches one itself."""
    fetching, go_on = threading.Event(), threading.Event()
    parent = os.getpid()

    def respond(request):
        if not is_token_request(request):
            return 0.0, ALLOWED
        if os.getpid() == parent:
            fetching.set()
            go_on.wait(PATIENT)
        return 0.0, issued("t")

    endpoint = TokenEndpoint("s")

    def call() -> bool:
        (ended,), _ = call_at_once(way, respond, endpoint, [PATIENT])
        return ended.result is True

    thread = threading.Thread(target=call)
    thread.start()
    assert fetching.wait(PATIENT)
    child = os.fork()
    if child == 0:
        signal.alarm(30)  # kills the child if it hangs
        os._exit(0 if call() else 1)
    try:
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    finally:
        go_on.set()
        thread.join(PATIENT)


@pytest.mark.parametrize("refreshed", [False, True])
def test_a_token_that_no_header_can_carry_is_not_cached(way, refreshed):
    """One bad response of the endpoint fails one call, not every later one."""
    tokens = iter(["good-1", "bad token", "good-2"] if refreshed else ["bad token", "good-2"])

    def respond(request):
        if is_token_request(request):
            return 0.0, issued(next(tokens))
        return 0.0, Response(401) if request.headers["authorization"] == "Bearer good-1" else ALLOWED

    endpoint = TokenEndpoint("s")
    (first,), _ = call_at_once(way, respond, endpoint, [PATIENT])
    (second,), _ = call_at_once(way, respond, endpoint, [PATIENT])

    assert isinstance(first.error, UsageError)
    assert (second.error, second.result) == (None, True)
