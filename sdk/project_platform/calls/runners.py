"""The two drivers that carry out flows: the same lines, one with `await`.

They wait, send and get tokens as a flow (`flow.py`) orders, and know nothing of what it decides.
"""

from __future__ import annotations

import inspect
import time
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from ..errors import UsageError
from .flow import Ask, Attempt, Flow, TokenWanted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from ..transports.transport import AsyncTransport, Transport

T = TypeVar("T")


def run(steps: Flow[T], transport: Transport, token: Callable[[str | None], str]) -> T:
    """Carry out a flow and return what it returns."""
    try:
        order = next(steps)
        while True:
            try:
                if isinstance(order, Attempt):
                    if order.delay:
                        time.sleep(order.delay)
                    came: Any = transport.send(order.request)
                elif isinstance(order, TokenWanted):
                    came = token(order.refused)
                else:
                    came = _answer(order)
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                order = steps.throw(error)
            else:
                order = steps.send(came)
    except StopIteration as done:
        result: T = done.value
        return result


async def run_async(steps: Flow[T], transport: AsyncTransport, token: Callable[[str | None], Awaitable[str]]) -> T:
    """Same as `run`, but under asyncio or trio."""
    try:
        order = next(steps)
        while True:
            try:
                if isinstance(order, Attempt):
                    if order.delay:
                        await anyio.sleep(order.delay)
                    came: Any = await transport.send(order.request)
                elif isinstance(order, TokenWanted):
                    came = await token(order.refused)
                else:
                    came = order.question()
                    if inspect.isawaitable(came):
                        came = await came
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                order = steps.throw(error)
            else:
                order = steps.send(came)
    except StopIteration as done:
        result: T = done.value
        return result


def _answer(order: Ask) -> Any:
    came = order.question()
    if not inspect.isawaitable(came):
        return came
    if inspect.iscoroutine(came):
        came.close()
    raise UsageError("the function is asynchronous, which needs an AsyncClient; give a plain one")
