"""The two drivers that carry out flows: the same lines, one with `await`.

They wait, send and get tokens as a flow (`flow.py`) orders, and know nothing of what it decides.
"""

from __future__ import annotations

import time
from typing import TYPE_CHECKING, Any, TypeVar

import anyio

from .flow import Flow, TokenWanted

if TYPE_CHECKING:
    from collections.abc import Awaitable, Callable

    from .transport import AsyncTransport, Transport

T = TypeVar("T")


def run(steps: Flow[T], transport: Transport, token: Callable[[str | None], str]) -> T:
    """Carry out a flow and return what it returns."""
    try:
        order = next(steps)
        while True:
            try:
                if isinstance(order, TokenWanted):
                    came: Any = token(order.refused)
                else:
                    if order.delay:
                        time.sleep(order.delay)
                    came = transport.send(order.request)
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
                if isinstance(order, TokenWanted):
                    came: Any = await token(order.refused)
                else:
                    if order.delay:
                        await anyio.sleep(order.delay)
                    came = await transport.send(order.request)
            except BaseException as error:  # noqa: BLE001  # the flow decides what an interruption means
                order = steps.throw(error)
            else:
                order = steps.send(came)
    except StopIteration as done:
        result: T = done.value
        return result
