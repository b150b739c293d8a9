"""The two runners of flows: the same lines, one with `await`.

They wait, send and get tokens as a flow (`flow.py`) commands, and make no decision.
"""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from ..errors import UsageError
from .flow import Attempt, Callback, Flow, GetToken

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..transports.transport import AsyncTransport, Transport

T = TypeVar("T")


def run(steps: Flow[T], transport: Transport, token: Callable[[str | None], str]) -> T:
    """Run a flow and return its result."""
    try:
        command = next(steps)
        while True:
            try:
                if isinstance(command, Attempt):
                    if command.delay:
                        time.sleep(command.delay)
                    result: Any = transport.send(command.request)
                elif isinstance(command, GetToken):
                    result = token(command.refused)
                else:
                    result = _call_back(command)
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                command = steps.throw(error)
            else:
                command = steps.send(result)
    except StopIteration as done:
        value: T = done.value
        return value


async def run_async(steps: Flow[T], transport: AsyncTransport, token: Callable[[str | None], Awaitable[str]]) -> T:
    """Same as `run`, but under asyncio or trio."""
    try:
        command = next(steps)
        while True:
            try:
                if isinstance(command, Attempt):
                    if command.delay:
                        await anyio.sleep(command.delay)
                    result: Any = await transport.send(command.request)
                elif isinstance(command, GetToken):
                    result = await token(command.refused)
                else:
                    result = command.function()
                    if inspect.isawaitable(result):
                        result = await result
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                command = steps.throw(error)
            else:
                command = steps.send(result)
    except StopIteration as done:
        value: T = done.value
        return value


def _call_back(command: Callback) -> Any:
    result = command.function()
    if not inspect.isawaitable(result):
        return result
    if inspect.iscoroutine(result):
        result.close()
    raise UsageError("the function is asynchronous, which needs an AsyncClient; give a function that is not `async`")
