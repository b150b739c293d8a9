"""Connections for asyncio and trio: to the first address of a host that accepts."""

from __future__ import annotations

import asyncio
import contextlib
import socket
from typing import TYPE_CHECKING, Final

import anyio
import anyio.lowlevel

from .addresses import HAPPY_EYEBALLS_DELAY, Address, alternate_families, lookup, numeric
from .async_streams import AsyncioStream, TrioStream
from .steps import NoConnectionError, StreamTimeoutError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from .deadline import Deadline

_NO_LIMIT: Final = float("inf")


async def connect(host: str, port: int, deadline: Deadline) -> AsyncioStream | TrioStream:
    """Same as `streams.connect`, but awaited."""
    connected: list[AsyncioStream | TrioStream] = []
    failures: list[OSError] = []

    async def attempt(address: Address, ended: anyio.Event) -> None:
        try:
            connected.append(await _connect_to(address))
            group.cancel_scope.cancel()
        except OSError as error:
            failures.append(error)
            ended.set()

    try:
        with anyio.move_on_after(deadline.left(_NO_LIMIT)) as scope:
            waiting = alternate_families(await _resolve(host, port))
            async with anyio.create_task_group() as group:
                for number, address in enumerate(waiting, 1):
                    ended = anyio.Event()
                    group.start_soon(attempt, address, ended)
                    if number < len(waiting):
                        with anyio.move_on_after(HAPPY_EYEBALLS_DELAY):
                            await ended.wait()
    except BaseException:
        for stream in connected:
            stream.close()
        raise
    for stream in connected[1:]:  # two addresses accepted in the same turn of the event loop
        stream.close()
    if connected:
        return connected[0]
    if scope.cancelled_caught:
        raise StreamTimeoutError("no connection in time")
    raise NoConnectionError((failures and failures[-1].strerror) or "the host has no address")


async def _connect_to(address: Address) -> AsyncioStream | TrioStream:
    family, kind, protocol, _, where = address
    loop = _running_asyncio_loop()
    if loop is None:
        import trio

        trio_socket = trio.socket.socket(family, kind, protocol)
        try:
            await trio_socket.connect(where)
        except BaseException:
            trio_socket.close()
            raise
        return TrioStream(trio.SocketStream(trio_socket))
    connecting = socket.socket(family, kind, protocol)
    try:
        connecting.setblocking(False)
        await loop.sock_connect(connecting, where)
        # It takes one turn of the event loop. uvloop before 0.22, if it is cancelled meanwhile, closes the descriptor, and closing it
        # again would close that of another connection which has got its number.
        made: list[AsyncioStream] = []
        with anyio.CancelScope(shield=True):
            made.append((await loop.create_connection(AsyncioStream, sock=connecting))[1])
        return made[0]
    except BaseException:
        connecting.close()
        raise


async def _resolve(host: str, port: int) -> Sequence[Address]:
    found = numeric(host, port)
    if found is not None:
        return found
    done = anyio.Event()
    result = lookup(host, port, _from_thread(done.set))
    await done.wait()
    return result.addresses()


def _running_asyncio_loop() -> asyncio.AbstractEventLoop | None:
    """Return the event loop of asyncio, or None under trio."""
    token = anyio.lowlevel.current_token()
    loop = getattr(token, "native_token", token)  # up to anyio 4.10 the token is the event loop itself
    return loop if isinstance(loop, asyncio.AbstractEventLoop) else None


def _from_thread(function: Callable[[], object]) -> Callable[[], None]:
    """Return a function that a thread may call, and that calls the given one in this event loop."""
    loop = _running_asyncio_loop()
    if loop is not None:
        run_soon: Callable[[Callable[[], object]], object] = loop.call_soon_threadsafe
    else:
        import trio

        run_soon = trio.lowlevel.current_trio_token().run_sync_soon

    def call() -> None:
        with contextlib.suppress(RuntimeError):  # the event loop has ended; trio's RunFinishedError is one
            run_soon(function)

    return call
