"""The two runners of flows: the same lines, one with `await`.

They wait, send and get tokens as a flow (`flow.py`) commands, and make no decision. A flow also receives what interrupts its
runner between two commands, so that it can add its note.
"""

from __future__ import annotations

import inspect
import time
from math import inf
from typing import TYPE_CHECKING, Any, TypeVar

from ..errors import NotSentError, TransportError, UsageError
from ..first_use import IMPORTING
from .commands import Attempt, Callback, Decode, Flow, GetToken, Wait
from .in_time import NotInTimeError, in_time

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..transports.transport import AsyncTransport, Transport
    from .headers import Secret

T = TypeVar("T")


def run(steps: Flow[T], transport: Transport, token: Callable[[Secret | None, float], Secret]) -> T:
    """Run a flow and return its result."""
    try:
        command = next(steps)
        while True:
            try:
                if isinstance(command, Attempt):
                    try:
                        result: Any = transport.send(command.request)
                    except TransportError as error:  # a transport of the user should return it
                        result = error
                elif isinstance(command, GetToken):
                    result = token(command.refused, command.seconds)
                elif isinstance(command, Wait):
                    time.sleep(command.seconds)
                    result = None
                elif isinstance(command, Decode):
                    result = _decode(command)
                else:
                    result = _call_back(command)
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                command = steps.throw(error)
            else:
                command = steps.send(result)
    except StopIteration as done:
        value: T = done.value
        return value
    except BaseException as interruption:
        if inspect.getgeneratorstate(steps) == inspect.GEN_SUSPENDED:
            steps.throw(interruption)
        raise


async def run_async(
    steps: Flow[T], transport: AsyncTransport, token: Callable[[Secret | None, float], Awaitable[Secret]]
) -> T:
    """Same as `run`, but under asyncio or trio."""
    try:
        command = next(steps)
        while True:
            try:
                if isinstance(command, Attempt):
                    try:
                        result: Any = await transport.send(command.request)
                    except TransportError as error:
                        result = error
                elif isinstance(command, GetToken):
                    result = await token(command.refused, command.seconds)
                elif isinstance(command, Wait):
                    import anyio  # a synchronous client does not need it

                    await anyio.sleep(command.seconds)
                    result = None
                elif isinstance(command, Decode):
                    result = await _decode_async(command)
                else:
                    result = await _call_back_async(command)
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                command = steps.throw(error)
            else:
                command = steps.send(result)
    except StopIteration as done:
        value: T = done.value
        return value
    except BaseException as interruption:
        if inspect.getgeneratorstate(steps) == inspect.GEN_SUSPENDED:
            steps.throw(interruption)
        raise


def _decode(command: Decode) -> Any:
    if command.seconds == inf:
        return command.function()
    try:
        return in_time(command.function, command.seconds)
    except NotInTimeError:
        return None


async def _decode_async(command: Decode) -> Any:
    with IMPORTING:
        import anyio
        import anyio.to_thread

    with anyio.move_on_after(command.seconds):
        return await anyio.to_thread.run_sync(command.function, abandon_on_cancel=True)
    return None


def _call_back(command: Callback) -> Any:
    result = command.function()
    if not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()
    raise UsageError("the function is asynchronous, which needs an AsyncClient; give a function that is not `async`")


async def _call_back_async(command: Callback) -> Any:
    result = command.function()
    if not inspect.isawaitable(result):
        return result
    import anyio

    with anyio.move_on_after(command.seconds):
        return await result
    raise NotSentError("the deadline passed while the function ran; give the call a RetryPolicy with a longer deadline")
