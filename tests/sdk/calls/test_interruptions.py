"""An interruption that leaves the call of a write has a note that says what is known about the write."""

from __future__ import annotations

import dataclasses
import linecache
import sys
from typing import Any

import anyio
import pytest

from project_platform import AsyncClient, Client, ConnectionLostError, NotSentError, Response, RetryPolicy
from project_platform.calls import flow, runners
from project_platform.calls.flow import call
from project_platform.calls.headers import Headers

from .outcomes import BUSY_FOR_NOW, LOST, at_once, refusal
from .service_time import ALLOWED, AsyncService, Service

UNKNOWN = "records_create was interrupted; it is not known whether it was applied"
NOTHING_SENT = "records_create was interrupted; nothing was sent"
NOT_APPLIED = "records_create was interrupted; it was not applied"
APPLIED = "records_create was interrupted; it was applied"


# Python handles signals when a function is called and when a loop begins again, so not at these lines of a runner.
WITHOUT_SIGNALS = {"try:", "except StopIteration as done:", "value: T = done.value", "return value"}


@pytest.fixture
def write(a_call):
    return lambda retry="never", **more: a_call(retry, "write", id="records_create", method="POST", **more)


@pytest.fixture
def without_token(settings):
    return dataclasses.replace(at_once(settings, max_attempts=5), token=None)


CUT = Response(200, body=b"half", complete=False)
PAGE = Response(200, Headers({"content-type": "text/html"}), b"<html>", complete=False)
NOTES = {
    "while it is sent": ("never", False, [], UNKNOWN),
    "before its first token": ("never", True, [], NOTHING_SENT),
    "refused, and while a token is fetched": ("never", True, ["old", refusal(401)], NOT_APPLIED),
    "lost, and while a token is fetched": ("safe", True, ["old", LOST, refusal(401)], UNKNOWN),
    "refused, and before the next attempt": ("safe", False, [refusal(429, **{"retry-after": "3"})], NOT_APPLIED),
    "lost, and before the next attempt": ("safe", False, [BUSY_FOR_NOW], UNKNOWN),
    "a page of another server, cut off": ("safe", False, [PAGE], UNKNOWN),
    "applied, and its response cut off": ("safe", False, [CUT], APPLIED),
}


@pytest.mark.parametrize(
    ("interruption", "name"),
    [
        *((KeyboardInterrupt, name) for name in NOTES),
        (SystemExit, "while it is sent"),
        (RuntimeError, "while it is sent"),
    ],
)
def test_a_write_that_is_interrupted_has_a_note(write, settings, without_token, interruption, name):
    """The interruption is raised unchanged; its note says what the attempts before it, and the present one, prove."""
    retry, asks_for_a_token, results, note = NOTES[name]
    steps = call(write(retry), without_token if asks_for_a_token else at_once(settings))
    next(steps)
    for result in results:
        steps.send(result)

    with pytest.raises(interruption) as raised:
        steps.throw(interruption())

    assert raised.value.__notes__ == [note]


def test_an_interrupted_read_needs_no_note(a_call, settings):
    steps = call(a_call(), settings)
    next(steps)

    with pytest.raises(KeyboardInterrupt) as raised:
        steps.throw(KeyboardInterrupt())

    assert not hasattr(raised.value, "__notes__")


@pytest.mark.parametrize(("raised", "applied"), [(ConnectionLostError, "unknown"), (NotSentError, "no")])
def test_an_error_that_a_transport_raises_is_like_one_that_it_returns(write, way, raised, applied):
    """A transport of the user may raise it after the request was sent."""

    def send(request):
        raise raised("reset")

    client_type, service_type = (Client, Service) if way == "sync" else (AsyncClient, AsyncService)
    client = client_type(
        "https://p.example", token="t", transport=service_type(send), retry=RetryPolicy(max_attempts=1)
    )

    async def call_async():
        await client.send(write())

    with pytest.raises(raised) as caught:
        client.send(write()) if way == "sync" else anyio.run(call_async, backend=way)
    assert (caught.value.applied, len(caught.value.attempts)) == (applied, 1)


class Interrupter:
    """Raises KeyboardInterrupt at the n-th line that runs in the flow of a call or in a runner."""

    def __init__(self, number: int) -> None:
        self.left = number
        self.files = {flow.__file__, runners.__file__}
        self.begun = False

    def __call__(self, frame, event, arg):
        if frame.f_code.co_filename not in self.files:
            return None
        line = linecache.getline(frame.f_code.co_filename, frame.f_lineno).strip()
        if event == "line" and self.begun and line not in WITHOUT_SIGNALS:
            if self.left == 0:
                sys.settrace(None)
                raise KeyboardInterrupt
            self.left -= 1
        self.begun = self.begun or frame.f_code.co_name == "_first_token"
        return self


def test_ctrl_c_at_any_line_of_a_call_leaves_a_true_note(write, way):
    """Whichever line of flow and runner is interrupted, the note says what arrived at the service."""
    notes: list[str] = []
    service: Any = None
    client_type, service_type = (Client, Service) if way == "sync" else (AsyncClient, AsyncService)

    def refuse_and_apply(request):
        return 0.0, refusal(429) if len(service.requests) == 1 else ALLOWED

    def interrupted_at(line: int) -> KeyboardInterrupt | None:
        nonlocal service
        service = service_type(refuse_and_apply)
        client = client_type(
            "https://p.example", token=lambda: "t", transport=service, retry=RetryPolicy(initial_delay=0)
        )

        async def call_async():
            sys.settrace(Interrupter(line))
            try:
                await client.send(write())
            finally:
                sys.settrace(None)

        before = sys.gettrace()
        try:
            if way == "sync":
                sys.settrace(Interrupter(line))
                client.send(write())
            else:
                anyio.run(call_async, backend=way)
        except KeyboardInterrupt as interruption:
            (note,) = interruption.__notes__
            assert note == UNKNOWN or note == {0: NOTHING_SENT, 1: NOT_APPLIED, 2: APPLIED}[len(service.requests)]
            notes.append(note)
            return interruption
        finally:
            sys.settrace(before)
        return None

    line = 0
    while interrupted_at(line):
        line += 1

    assert line > 50
    assert set(notes) == {NOTHING_SENT, UNKNOWN, NOT_APPLIED, APPLIED}
