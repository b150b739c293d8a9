"""A transport works in several event loops, and aiohttp is imported only for its transport."""

from __future__ import annotations

import asyncio
import gc
import ssl
import subprocess
import sys
from typing import Any

import pytest
import trio

from project_platform.transports.aiohttp_transport import AiohttpTransport
from project_platform.transports.async_connections import AsyncConnectionTransport

from .carrier import get


@pytest.mark.parametrize("kind", ["asyncio", "trio", "aiohttp"])
def test_a_transport_works_in_one_event_loop_after_another(kind: str, serve: Any) -> None:
    """A client may be used in one event loop after another; the connections of a loop are closed with it."""
    server = serve()

    def use(transport: Any) -> None:
        async def twice() -> list[int]:
            return [(await transport.send(get(server))).status for _ in range(2)]

        for number in (1, 2):
            assert (trio.run(twice) if kind == "trio" else asyncio.run(twice())) == [200, 200]
            server.wait_for_an_end()
            assert server.opened == number

    use(AiohttpTransport() if kind == "aiohttp" else AsyncConnectionTransport(ssl.create_default_context))

    gc.collect()  # a socket left open would be a warning now, and warnings are errors


def test_aiohttp_is_imported_only_when_it_is_used() -> None:
    """A client that does not use aiohttp does not import it."""
    program = (
        "import sys, project_platform as p; p.AsyncClient('https://platform.example', token='t'); "
        "sys.exit('aiohttp' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
