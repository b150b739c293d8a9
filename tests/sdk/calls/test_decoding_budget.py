"""A response cannot take much more memory or time than its size: hostile bodies against every kind of client."""

from __future__ import annotations

import gzip
import json
import subprocess
import sys
import threading
from collections.abc import Callable

import anyio
import pytest

from project_platform import DecodingError, OutcomeUnknownError, Response
from project_platform.calls import flow, runners
from project_platform.calls.commands import Decode
from project_platform.calls.headers import Headers
from project_platform.calls.reading import TooManyValuesError, check_values

from ..transports.server import Line, Server

MIB = 1024 * 1024
PAGE = b'{"agents": [%b], "pagination": {"hasMore": false}%b}'


def repeated(part: bytes, size: int) -> bytes:
    """Return parts, separated by commas, of about this size."""
    return b",".join([part] * (size // (len(part) + 1)))


def unknown(value: bytes) -> bytes:
    return PAGE % (b"", b', "x": ' + value)


# Each fits into 8 MiB, and into a few KiB of gzip.
SIZE = 8 * MIB - 1024
HOSTILE: dict[str, Callable[[], bytes]] = {
    "agents": lambda: PAGE % (repeated(b"{}", SIZE), b""),
    "agents of another type": lambda: PAGE % (repeated(b"1", SIZE), b""),
    "agents with an unknown field": lambda: PAGE % (repeated(b'{"a":1}', SIZE), b""),
    "agents within the budget": lambda: PAGE % (repeated(b"{}", 150_000), b""),
    "wrong texts of an agent": lambda: PAGE % (b'{"memoryFiles": [' + repeated(b"1", 900_000) + b"]}", b""),
    "empty arrays": lambda: unknown(b"[" + repeated(b"[]", SIZE) + b"]"),
    "empty objects": lambda: unknown(b"[" + repeated(b"{}", SIZE) + b"]"),
    "nested arrays": lambda: unknown(b"[" + repeated(b"[[[]]]", SIZE) + b"]"),
    "short objects": lambda: unknown(b"[" + repeated(b'{"a":1}', SIZE) + b"]"),
    "integers": lambda: unknown(b"[" + repeated(b"1", SIZE) + b"]"),
    "numbers": lambda: unknown(b"[" + repeated(b"1.5", SIZE) + b"]"),
    "texts": lambda: unknown(b"[" + repeated(b'"a"', SIZE) + b"]"),
    "members": lambda: unknown(b"{" + b",".join(b'"%d":1' % number for number in range(700_000)) + b"}"),
    "depth": lambda: unknown(b"[" * (SIZE // 2) + b"]" * (SIZE // 2)),
    "quotes": lambda: unknown(b'"' + b'\\"' * (SIZE // 2)),
    "commas in a text": lambda: unknown(b'"' + b"," * SIZE + b'"'),
    "brackets in a text": lambda: unknown(b'"' + b"[{" * (SIZE // 2) + b'"'),
    "one integer": lambda: unknown(b"1" * SIZE),
    "one fraction": lambda: unknown(b"0." + b"1" * SIZE),
    "escapes": lambda: unknown(b'"' + b"\\u0041" * (SIZE // 6) + b'"'),
    "lone surrogates": lambda: unknown(b'"' + b"\\ud800" * (SIZE // 6) + b'"'),
    "lone surrogates in many names": lambda: unknown(
        b"{" + b",".join(b'"\\ud800%d":1' % number for number in range(160_000)) + b"}"
    ),
    "a lone surrogate in a text of wide characters": lambda: unknown(
        b'"\xf0\x9f\x98\x80\\ud83d' + b"a" * (SIZE * 3 // 4) + b'"'
    ),
    "fractions and a lone surrogate": lambda: unknown(b'["\\ud83d",' + repeated(b"1.5", 1_900_000) + b"]"),
    "blanks": lambda: unknown(b" " * SIZE + b"1"),
    "one member often": lambda: unknown(b"{" + repeated(b'"a":1', SIZE) + b"}"),
    "agents with a lone surrogate": lambda: PAGE % (repeated(b'{"id":"\\ud800"}', SIZE), b""),
    "more than the limit": lambda: unknown(b'"' + b"a" * 20 * MIB + b'"'),
}
READ = {
    *("commas in a text", "brackets in a text", "one fraction", "escapes", "lone surrogates", "blanks"),
    *("lone surrogates in many names", "a lone surrogate in a text of wide characters"),
    "fractions and a lone surrogate",
}

CLIENT = """
import sys, time
import anyio
from project_platform import AsyncClient, Client, PlatformError, RetryPolicy

url, kind, status = sys.argv[1:]
PROJECT = "0b9c4c6e-0000-4000-8000-000000000000"
lag = ticked = 0.0


def grown():
    with open("/proc/self/status") as file:
        return next(int(line.split()[1]) for line in file if line.startswith("VmHWM"))


def settings(name):
    return dict(base_url=url + name, token="token-of-the-test", project_id=PROJECT, retry=RetryPolicy(1, deadline=20))


def report(name, before, began, ended):
    print(name, grown() - before, time.process_time() - began, lag, ended, flush=True)


def ended(error):
    return f"{type(error).__name__}:{error.applied}"


def sync(name):
    with Client(**settings(name)) as client:
        try:
            client.project().agents.list().first_page()
            return "read"
        except PlatformError as error:
            return ended(error)


async def asynchronous(name):
    async with anyio.create_task_group() as group, AsyncClient(**settings(name)) as client:
        group.start_soon(tick)
        try:
            await client.project().agents.list().first_page()
            return "read"
        except PlatformError as error:
            return ended(error)
        finally:
            note_lag()
            group.cancel_scope.cancel()


async def tick():
    global ticked
    while True:
        ticked = time.monotonic()
        await anyio.sleep(0.01)
        note_lag()


def note_lag():
    global lag
    lag = max(lag, time.monotonic() - ticked)


def main(names):
    call = sync if kind == "sync" else lambda name: anyio.run(asynchronous, name, backend=kind)
    call("warm")
    global lag
    for name in names:
        lag, ticked = 0.0, time.monotonic()
        with open("/proc/self/clear_refs", "w") as file:
            file.write("5")
        before, began = grown(), time.process_time()  # seconds of this process: others may have the processor
        result = call(name)
        report(name, before, began, result)


main(sys.stdin.read().split())
"""


NUMBERS = {str(number): name for number, name in enumerate(HOSTILE)}
BODIES: dict[str, bytes] = {}


def serving(status: int) -> Server:
    """Return a server that answers with the body that the path names, compressed."""
    BODIES.update({number: gzip.compress(HOSTILE[name]()) for number, name in NUMBERS.items()} if not BODIES else {})
    other = gzip.compress(PAGE % (b"{}", b""))

    def script(line: Line) -> None:
        while True:
            number = line.request()[0].split(b"/")[1].decode()
            body = BODIES.get(number, other)
            line.send(b"HTTP/1.1 %d X\r\ncontent-type: application/json\r\n" % (status if number in BODIES else 200))
            line.send(b"content-encoding: gzip\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body))

    return Server(script)


@pytest.mark.skipif(sys.platform != "linux", reason="the peak of the memory is reset by a file of Linux")
@pytest.mark.parametrize("status", [200, 400])
@pytest.mark.parametrize("kind", ["sync", "asyncio", "trio"])
def test_no_body_takes_much_memory_or_time(kind, status):
    """The process grows by at most 64 MiB, and a call takes seconds at most, however the body is made."""
    server = serving(status)
    try:
        done = subprocess.run(
            [sys.executable, "-c", CLIENT, f"http://127.0.0.1:{server.port}/", kind, str(status)],
            input=" ".join(NUMBERS),
            capture_output=True,
            text=True,
            timeout=120,
            check=False,
        )
    finally:
        server.stop()
    assert done.returncode == 0, done.stderr
    rows = [line.split() for line in done.stdout.splitlines()]

    assert [NUMBERS[row[0]] for row in rows] == list(HOSTILE)
    for number, kibibytes, seconds, lag, result in rows:
        name = NUMBERS[number]
        print(
            f"{name}: {int(kibibytes) // 1024} MiB, {float(seconds):.2f} s, the event loop stood still for {float(lag):.2f} s, {result}"
        )
        assert int(kibibytes) <= 64 * 1024, f"{name}: the process grew by {int(kibibytes) // 1024} MiB"
        assert float(seconds) < 5, f"{name}: {seconds} s"
        assert float(lag) < 2, f"{name}: the event loop stood still for {lag} s"
        if status == 400:
            assert result == "BadRequestError:no", name
        else:
            assert (result == "read") == (name in READ), f"{name}: {result}"
            assert result in {"read", "DecodingError:yes", "ResponseTooLargeError:yes"}, f"{name}: {result}"


@pytest.mark.parametrize("name", HOSTILE)
def test_values_are_counted_before_they_are_decoded(name):
    """What is inside of a text is not counted, nor is a text that has no end."""
    body = HOSTILE[name]()
    counted = name not in READ | {
        "wrong texts of an agent",
        "agents within the budget",
        "depth",
        "quotes",
        "one integer",
        "more than the limit",
    }

    if counted or name == "depth":
        with pytest.raises(TooManyValuesError):
            check_values(body, 8 * MIB)
        check_values(body, None)
    else:
        check_values(body, 8 * MIB)
    check_values(body[: 60 * 1024], 1)


def test_a_larger_limit_is_a_larger_budget():
    """Who expects a response of many values says so by its size."""
    body = json.dumps([[{"a": 1}] * 10] * 8_000).encode()

    with pytest.raises(TooManyValuesError):
        check_values(body, 8 * MIB)
    check_values(body, 16 * MIB)


def test_a_large_response_is_decoded_by_a_command(a_call, settings):
    """An event loop is not blocked, so the flow does not read the response itself; a small one it does."""
    steps = flow.call(a_call(), settings)
    next(steps)
    command = steps.send(Response(200, body=b'"' + b"a" * 300_000 + b'"'))

    assert isinstance(command, Decode)
    with pytest.raises(StopIteration) as done:
        steps.send(command.function())
    assert done.value.value.status == 200


def test_a_deadline_that_passes_while_a_response_is_decoded_ends_the_call(a_call, settings):
    steps = flow.call(a_call(effect="write", retry="never"), settings)
    next(steps)
    steps.send(Response(200, body=b'"' + b"a" * 300_000 + b'"'))

    with pytest.raises(
        DecodingError, match="the deadline passed while the response 200, of 300002 bytes, was decoded"
    ) as late:
        steps.send(None)

    assert late.value.applied == "yes"


@pytest.mark.parametrize("interruption", [None, KeyboardInterrupt()])
def test_a_page_that_is_decoded_when_the_call_ends_does_not_say_that_it_was_applied(a_call, settings, interruption):
    steps = flow.call(a_call(effect="write", retry="never"), settings)
    next(steps)
    steps.send(Response(200, Headers({"content-type": "text/html"}), b"<html>" + b"a" * 300_000))

    with pytest.raises((OutcomeUnknownError, KeyboardInterrupt)) as late:
        steps.send(None) if interruption is None else steps.throw(interruption)

    assert late.value.applied == "unknown"


def test_a_call_does_not_wait_for_a_response_that_is_decoded_longer():
    """Its deadline ends the wait; what decodes goes on in its thread."""
    ended = threading.Event()

    def steps():
        return (yield Decode(ended.wait, 0.05))

    async def run_async():
        return await runners.run_async(steps(), None, None)

    assert runners.run(steps(), None, None) is None
    for backend in ("asyncio", "trio"):
        assert anyio.run(run_async, backend=backend) is None
    ended.set()
    assert runners.run(steps(), None, None) is True
