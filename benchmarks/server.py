"""A server that answers from memory, so that the client dominates: `python -m benchmarks.server` prints its port."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Iterator
from typing import Any

AGENT: dict[str, Any] = {
    "id": "a0",
    "projectId": "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11",
    "name": "Concierge",
    "description": "Answers guests about menus, dates and rooms",
    "builtIn": False,
    "systemPrompt": "You are the concierge of the house.",
    "memoryFiles": ["menu", "house-rules"],
    "toolCategories": ["memory"],
    "mcpServers": [{"name": "calendar", "url": "https://calendar.example", "headers": {"x-tenant": "house"}}],
    "access": "project_member",
    "allowedRoles": ["owner"],
    "maxSteps": 10,
    "model": "m-1",
    "metadata": {"revision": 1},
    "createdAt": "2026-01-01T00:00:00Z",
    "updatedAt": "2026-01-01T00:00:00Z",
}


def page(size: int) -> bytes:
    """Return a complete HTTP response with a page of `size` agents."""
    agents = [{**AGENT, "id": f"a{number}"} for number in range(size)]
    body = json.dumps({"agents": agents, "pagination": {"limit": size, "offset": 0, "hasMore": False}}).encode()
    head = (
        f"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: {len(body)}\r\nx-request-id: r1\r\n\r\n"
    )
    return head.encode() + body


PAGES = {size: page(size) for size in (1, 100)}


class PageProtocol(asyncio.Protocol):
    """Answers each request of a connection with a page of agents."""

    def connection_made(self, transport: Any) -> None:
        self._transport = transport
        self._read = b""

    def data_received(self, data: bytes) -> None:
        self._read += data
        while b"\r\n\r\n" in self._read:
            head, self._read = self._read.split(b"\r\n\r\n", 1)
            self._transport.write(PAGES[100 if b"limit=100" in head else 1])


async def main() -> None:
    """Serve until the process is terminated."""
    server = await asyncio.get_running_loop().create_server(PageProtocol, "127.0.0.1", 0)
    print(server.sockets[0].getsockname()[1], flush=True)
    await server.serve_forever()


@contextlib.contextmanager
def running() -> Iterator[str]:
    """Run the server in another process, and yield its base URL."""
    process = subprocess.Popen(
        [sys.executable, "-m", "benchmarks.server"], stdout=subprocess.PIPE, env=dict(os.environ)
    )
    assert process.stdout is not None
    try:
        yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    finally:
        process.terminate()
        process.wait()
        process.stdout.close()


if __name__ == "__main__":
    with contextlib.suppress(ImportError):
        import uvloop

        uvloop.install()
    asyncio.run(main())
