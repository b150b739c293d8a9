"""The cost per process: time for the first client and for another one, and memory for many calls.

`python -m benchmarks.processes raw|sdk sync|async URL CALLS` prints the growth of its memory; `memory` runs it.
"""

from __future__ import annotations

import asyncio
import gc
import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable
from pathlib import Path

from .calls import HEADERS, PROJECT, Pair

# httpx imports the packages of its command line if they are installed, which services do not need.
_BEGIN = """
import sys, time
sys.modules.update(dict.fromkeys(("click", "pygments", "rich")))
began = time.perf_counter()
"""
_RAW = """
import httpx, pydantic
client = httpx.Client(base_url="https://platform.example")
class Agent(pydantic.BaseModel):
    id: str
Agent.model_validate_json('{"id": "a"}')
"""
_SDK = f"""
from project_platform import Client
client = Client("https://platform.example", token="token")
client.project("{PROJECT}").agents.list(limit=1)
"""
_END = "print(time.perf_counter() - began)"

_STATM = Path("/proc/self/statm")
_WARM_UP = 2_000  # calls before memory is measured, which fill connections, caches and the allocator's pools


def start(*, rounds: int) -> list[Pair]:
    """Return milliseconds from the first import to a resource that can be called, in a new process each, by round."""
    with tempfile.TemporaryDirectory() as cache:
        # A separate bytecode cache, so that neither side compiles, whatever the environment says.
        environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        environment["PYTHONPYCACHEPREFIX"] = cache

        def run(program: str) -> float:
            command = [sys.executable, "-c", _BEGIN + program + _END]
            return float(subprocess.run(command, env=environment, check=True, capture_output=True).stdout) * 1e3

        run(_RAW)
        run(_SDK)
        return [(run(_RAW), run(_SDK)) for _ in range(rounds)]


def second_client(*, rounds: int) -> list[Pair]:
    """Return milliseconds to construct another client for an https URL, by round."""
    import httpx

    from project_platform import Client

    def raw() -> None:
        httpx.Client(base_url="https://platform.example").close()

    def sdk() -> None:
        Client("https://platform.example", token="token").close()

    def milliseconds(make: Callable[[], None]) -> float:
        began = time.perf_counter()
        make()
        return (time.perf_counter() - began) * 1e3

    raw()
    sdk()
    return [(milliseconds(raw), milliseconds(sdk)) for _ in range(rounds)]


def memory(url: str, way: str, *, calls: int) -> list[Pair] | None:
    """Return the growth of the resident set in MiB over `calls` calls, in new processes; None where it is unavailable."""
    if not _STATM.exists():
        return None

    def grown(by: str) -> float:
        command = [sys.executable, "-m", "benchmarks.processes", by, way, url, str(calls)]
        return float(subprocess.run(command, check=True, capture_output=True).stdout)

    return [(grown("raw"), grown("sdk"))]


def _resident() -> float:
    gc.collect()
    return int(_STATM.read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20


def _growth_sync(by: str, url: str, calls: int) -> float:
    import httpx

    from project_platform import Client

    with httpx.Client(headers=HEADERS) as raw, Client(url, token="token") as client:
        agents = client.project(PROJECT).agents
        path = f"{url}/projects/{PROJECT}/agents?limit=1"

        def call() -> None:
            json.loads(raw.get(path).content) if by == "raw" else agents.list(limit=1).first_page()

        for _ in range(_WARM_UP):
            call()
        before = _resident()
        for _ in range(calls):
            call()
        return _resident() - before


async def _growth_async(by: str, url: str, calls: int) -> float:
    import httpx

    from project_platform import AsyncClient

    async with httpx.AsyncClient(headers=HEADERS) as raw, AsyncClient(url, token="token") as client:
        agents = client.project(PROJECT).agents
        path = f"{url}/projects/{PROJECT}/agents?limit=1"

        async def call() -> None:
            json.loads((await raw.get(path)).content) if by == "raw" else await agents.list(limit=1).first_page()

        await _ten_concurrently(call, _WARM_UP)
        before = _resident()
        await _ten_concurrently(call, calls)
        return _resident() - before


async def _ten_concurrently(call: Callable[[], Awaitable[None]], calls: int) -> None:
    async def caller() -> None:
        for _ in range(calls // 10):
            await call()

    await asyncio.gather(*(caller() for _ in range(10)))


if __name__ == "__main__":
    by, way, url, calls = sys.argv[1:]
    if way == "sync":
        print(_growth_sync(by, url, int(calls)))
    else:
        print(asyncio.run(_growth_async(by, url, int(calls))))
