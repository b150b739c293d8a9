"""A transport works in several event loops, in turn and at the same time."""

from __future__ import annotations

import asyncio
import concurrent.futures
import gc
import ssl
from dataclasses import replace

import anyio
import pytest
import trio

from project_platform.transports.async_pool import AsyncConnectionTransport

from .carrier import get
from .server import echo


@pytest.mark.parametrize("kind", ["asyncio", "trio"])
def test_a_transport_works_in_one_event_loop_after_another(kind, serve):
    """A client may be used in one event loop after another; the connections of a loop are closed with it."""
    server = serve()

    def use(transport):
        async def twice():
            return [(await transport.send(get(server))).status for _ in range(2)]

        for number in (1, 2):
            assert (trio.run(twice) if kind == "trio" else asyncio.run(twice())) == [200, 200]
            server.wait_for_an_end()
            assert server.opened == number

    use(AsyncConnectionTransport(ssl.create_default_context))

    gc.collect()  # a socket left open would be a warning now, and warnings are errors


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_event_loops_in_several_threads_share_a_transport(backend, serve):
    """Each event loop has its own connections; a request never waits on those of another."""
    server = serve(echo)
    transport = AsyncConnectionTransport(ssl.create_default_context)

    def use(name):
        async def one(number):
            body = f"{name}/{number}".encode()
            response = await transport.send(replace(get(server), method="PUT", body=body))
            return bool(response.body == body)

        async def many():
            return [await one(number) for number in range(100)]

        return anyio.run(many, backend=backend)

    with concurrent.futures.ThreadPoolExecutor(4) as threads:
        right = [response for responses in threads.map(use, range(4)) for response in responses]

    assert right == [True] * 400
    assert server.opened == 4


def test_an_event_loop_that_takes_over_a_socket_is_not_cancelled(serve, monkeypatch):
    """If uvloop before 0.22 is cancelled then, the descriptor is closed twice, and the second time it may be another's."""
    server = serve(echo)
    ends: list[str] = []

    class Slow:
        """The event loop, which takes its time to take over a socket."""

        def __init__(self):
            self.loop = asyncio.get_running_loop()
            self.sock_connect = self.loop.sock_connect

        async def create_connection(self, protocol, *, sock):
            try:
                await asyncio.sleep(0.3)
            except asyncio.CancelledError:
                ends.append("cancelled")
                raise
            ends.append("made")
            return await self.loop.create_connection(protocol, sock=sock)

    async def main():
        transport = AsyncConnectionTransport(ssl.create_default_context)
        with anyio.move_on_after(0.1) as scope:
            await transport.send(get(server))
        assert scope.cancelled_caught
        await transport.aclose()

    monkeypatch.setattr("project_platform.transports.async_connect._running_asyncio_loop", Slow)
    asyncio.run(main())

    assert ends == ["made"]
    gc.collect()
