"""The cost per process: the first client, a second client, memory for many calls, and memory for a large PDF.

Each value is measured in a new process, by a program that prints it.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

from .measure import ROOT
from .sides import PROJECT, RAW, SDK, agents_url

Values = dict[str, list[float]]
"""The values of both sides, by round."""

PDF = 32 * 2**20  # bytes
_WARM_UP = 2_000  # calls before memory is measured, which fill connections, caches and the allocator's pools

_RESIDENT = """
import gc, os
def resident():
    gc.collect()
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
"""

_START = {
    RAW: f"""
import time
began = time.process_time()
import httpx, pydantic
class Agent(pydantic.BaseModel):
    id: str
class Page(pydantic.BaseModel):
    agents: list[Agent]
client = httpx.Client(headers={{"authorization": "Bearer token"}})
Page.model_validate_json(client.get("{agents_url("URL", 1)}").content)
print((time.process_time() - began) * 1e3)
""",
    SDK: f"""
import time
began = time.process_time()
from project_platform import Client
client = Client("URL", token="token")
client.project("{PROJECT}").agents.list(limit=1).first_page()
print((time.process_time() - began) * 1e3)
""",
}
_SECOND = {
    RAW: """
import time, httpx
make = lambda: httpx.Client(base_url="https://platform.example")
""",
    SDK: """
import time
from project_platform import Client
make = lambda: Client("https://platform.example", token="token")
""",
}
_SECOND_TIME = (
    "first = make(); began = time.process_time(); second = make(); print((time.process_time() - began) * 1e3)"
)
_SECOND_MEMORY = "first = make(); before = resident(); second = make(); print(resident() - before)"

_CALLS = {
    "sync": """
with sides.SYNC[SIDE](URL, None) as call:
    for _ in range(WARM_UP): call(1)
    before = resident()
    for _ in range(CALLS): call(1)
    print(resident() - before)
""",
    "async": """
import asyncio
async def main():
    async with sides.ASYNC[SIDE](URL) as call:
        async def caller(calls):
            for _ in range(calls): await call(1)
        await asyncio.gather(*(caller(WARM_UP // 10) for _ in range(10)))
        before = resident()
        await asyncio.gather(*(caller(CALLS // 10) for _ in range(10)))
        print(resident() - before)
asyncio.run(main())
""",
}
_PEAK = """
import resource
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024 - before)
"""
_EXPORT = {
    RAW: f"""
import httpx
client = httpx.Client()
before = resident()
pdf = client.post("URL/pdf/{PDF}/labels", json={{}}).content
""",
    SDK: f"""
from project_platform import Client
client = Client("URL/pdf/{PDF}", token="token")
before = resident()
pdf = client.project("{PROJECT}").labels.export(menu_month="2026-11").content
""",
}


def _value(program: str, side: str, pythons: Mapping[str, str]) -> float:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH" or not pythons}
    command = [pythons.get(side, sys.executable), "-c", program]
    return float(subprocess.run(command, cwd=ROOT, env=environment, check=True, capture_output=True).stdout)


def _by_round(programs: Mapping[str, str], pythons: Mapping[str, str], rounds: int) -> Values:
    """Return what the program of each side prints, in turns."""
    values: Values = {side: [] for side in programs}
    for _ in range(rounds):
        for side, program in programs.items():
            values[side].append(_value(program, side, pythons))
    return values


def start(url: str, pythons: Mapping[str, str], *, rounds: int) -> Values:
    """Return milliseconds of CPU time from the first import to the first response that was read."""
    programs = {side: program.replace("URL", url) for side, program in _START.items()}
    _by_round(programs, pythons, 1)
    return _by_round(programs, pythons, rounds)


def second_client(pythons: Mapping[str, str], *, rounds: int) -> tuple[Values, Values | None]:
    """Return milliseconds of CPU time for a second client, and the growth of the resident set in MiB; None where it is unknown."""
    seconds = _by_round({side: program + _SECOND_TIME for side, program in _SECOND.items()}, pythons, rounds)
    if not resident_is_known():
        return seconds, None
    programs = {side: _RESIDENT + program + _SECOND_MEMORY for side, program in _SECOND.items()}
    return seconds, _by_round(programs, pythons, rounds)


def memory(url: str, way: str, pythons: Mapping[str, str], *, calls: int) -> Values:
    """Return the growth of the resident set in MiB over many calls."""
    programs = {
        side: f"from benchmarks import sides\n{_RESIDENT}"
        f"SIDE, URL, WARM_UP, CALLS = {side!r}, {url!r}, {_WARM_UP}, {calls}\n{_CALLS[way]}"
        for side in (RAW, SDK)
    }
    return _by_round(programs, pythons, 1)


def export(url: str, pythons: Mapping[str, str], *, rounds: int) -> Values:
    """Return the peak of the resident set in MiB while a PDF of 32 MiB is fetched, beyond what the client itself takes."""
    programs = {side: _RESIDENT + program.replace("URL", url) + _PEAK for side, program in _EXPORT.items()}
    return _by_round(programs, pythons, rounds)


def resident_is_known() -> bool:
    """Return whether this system has `/proc/self/statm`."""
    return Path("/proc/self/statm").exists()
