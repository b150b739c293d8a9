"""The cost of a call: CPU time of synchronous calls, and calls per second with 50 concurrent calls."""

from __future__ import annotations

import asyncio
import gc
import json
import time
from collections.abc import Awaitable, Callable
from typing import Any

import httpx

from project_platform import AsyncClient, Client

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
HEADERS = {"authorization": "Bearer token", "accept": "application/json"}
CONCURRENCY = 50

Pair = tuple[float, float]
"""The values of raw httpx and of the SDK in one round."""


def sync_cpu(url: str, *, size: int, rounds: int, calls: int, threshold: int | None = None) -> list[Pair]:
    """Return microseconds of CPU time per call in this process, by round.

    `threshold` replaces the threshold of the garbage collector's youngest generation, for both sides.
    """
    with httpx.Client(headers=HEADERS) as raw, Client(url, token="token") as client:
        agents = client.project(PROJECT).agents
        path = f"{url}/projects/{PROJECT}/agents?limit={size}"

        def by_raw() -> object:
            return json.loads(raw.get(path).content)

        def by_sdk() -> object:
            return agents.list(limit=size).first_page()

        for call in (by_raw, by_sdk):
            _cpu(call, 50)
        usual = gc.get_threshold()
        if threshold is not None:
            gc.set_threshold(threshold)
        try:
            return [(_cpu(by_raw, calls), _cpu(by_sdk, calls)) for _ in range(rounds)]
        finally:
            gc.set_threshold(*usual)


def _cpu(call: Callable[[], object], calls: int) -> float:
    began = time.process_time()
    for _ in range(calls):
        call()
    return (time.process_time() - began) / calls * 1e6


def async_rate(url: str, *, rounds: int, calls: int, transport: Callable[[], Any] | None = None) -> list[Pair]:
    """Return calls per second with 50 concurrent calls under asyncio, by round."""

    async def measure() -> list[Pair]:
        connections = transport() if transport else None
        async with (
            httpx.AsyncClient(headers=HEADERS) as raw,
            AsyncClient(url, token="token", transport=connections) as client,
        ):
            agents = client.project(PROJECT).agents
            path = f"{url}/projects/{PROJECT}/agents?limit=1"

            async def by_raw() -> object:
                return json.loads((await raw.get(path)).content)

            async def by_sdk() -> object:
                return await agents.list(limit=1).first_page()

            for call in (by_raw, by_sdk):
                await _rate(call, 4 * CONCURRENCY)
            # The SDK makes more calls, so that both are measured for about as long.
            pairs = [(await _rate(by_raw, calls), await _rate(by_sdk, 5 * calls)) for _ in range(rounds)]
        if connections is not None:
            await connections.aclose()
        return pairs

    return asyncio.run(measure())


async def _rate(call: Callable[[], Awaitable[object]], calls: int) -> float:
    left = calls

    async def caller() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            await call()

    began = time.perf_counter()
    await asyncio.gather(*(caller() for _ in range(CONCURRENCY)))
    return calls / (time.perf_counter() - began)
