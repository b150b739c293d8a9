"""A synchronous interface to every transport, with or without an event loop."""

from __future__ import annotations

import concurrent.futures
from collections.abc import Callable
from dataclasses import replace
from typing import Any

from anyio.from_thread import BlockingPortal

from project_platform import Request, Timeout

from .server import PATIENT, Server


class Carrier:
    """A synchronous interface to one transport."""

    def __init__(self, transport: Any, portal: BlockingPortal | None) -> None:
        self.transport = transport
        self._portal = portal
        self._threads = concurrent.futures.ThreadPoolExecutor(32)

    def send(self, request: Request) -> Any:
        return self.start(request).result(3 * PATIENT)

    def start(self, request: Request) -> concurrent.futures.Future[Any]:
        """Start to send a request, and return the future of its outcome."""
        if self._portal is None:
            return self._threads.submit(self.transport.send, request)
        return self._portal.start_task_soon(self.transport.send, request)

    def read(self, stream: Any, chunks: int | None = None) -> bytes:
        """Read a stream, or this number of its chunks, and close it."""
        if self._portal is None:
            try:
                parts = iter(stream)
                return b"".join(parts) if chunks is None else b"".join(next(parts) for _ in range(chunks))
            finally:
                stream.close()

        async def read() -> bytes:
            got = b""
            number = 0
            parts = aiter(stream)
            try:
                async for part in parts:
                    got += part
                    number += 1
                    if number == chunks:
                        break
                return got
            finally:
                await parts.aclose()
                await stream.aclose()

        return self._portal.call(read)

    def block_loop_until(self, first: Request, closed: Callable[[], None], second: Request) -> Any:
        """Send a request, block the event loop until `closed` returns, and send another before the loop runs again."""
        if self._portal is None:
            self.send(first)
            closed()
            return self.send(second)

        async def both() -> Any:
            await self.transport.send(first)
            closed()
            return await self.transport.send(second)

        return self._portal.call(both)

    def close(self) -> None:
        if self._portal is None:
            self.transport.close()
        else:
            self._portal.call(self.transport.aclose)
        self._threads.shutdown()


def get(server: Server, **options: Any) -> Request:
    timeout = Timeout(PATIENT, PATIENT, PATIENT, PATIENT)
    return Request("GET", server.url, {"accept": "text/plain"}, timeout=timeout, **options)


def within(request: Request, **limits: float) -> Request:
    return replace(request, timeout=replace(request.timeout, **limits))
