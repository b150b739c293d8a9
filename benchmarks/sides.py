"""The clients under test. Each opens a client and yields a function that fetches a list of objects and reads it.

The SDK returns typed objects, httpx the dicts of `json.loads`. Each is imported when it is used, since each has an environment with
what its users install.
"""

from __future__ import annotations

import contextlib
import functools
import json
import ssl
from collections.abc import AsyncGenerator, Awaitable, Callable, Generator
from contextlib import AbstractAsyncContextManager, AbstractContextManager
from typing import Any

PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
PATIENT = 120.0  # seconds: with many calls in flight, each waits long for a connection
HEADERS = {"authorization": "Bearer token", "accept": "application/json"}

Call = Callable[[int], object]
AsyncCall = Callable[[int], Awaitable[object]]


def agents_url(url: str, limit: int, offset: int = 0) -> str:
    """Return the URL of a page of agents."""
    return f"{url}/projects/{PROJECT}/agents?limit={limit}" + (f"&offset={offset}" if offset else "")


def trusting(certificate: str | None) -> Any:
    """Return what httpx and the SDK take as `verify`: a context that trusts a certificate, or the default."""
    return True if certificate is None else ssl.create_default_context(cafile=certificate)


@contextlib.contextmanager
def raw_httpx(url: str, certificate: str | None) -> Generator[Call]:
    import httpx

    with httpx.Client(headers=HEADERS, verify=trusting(certificate)) as client:
        yield lambda size: json.loads(client.get(agents_url(url, size)).content)


@contextlib.contextmanager
def raw_httpx_not_reused(url: str, certificate: str | None) -> Generator[Call]:
    import httpx

    yield lambda size: json.loads(httpx.get(agents_url(url, size), headers=HEADERS).content)


@contextlib.asynccontextmanager
async def raw_httpx_async(url: str) -> AsyncGenerator[AsyncCall]:
    import httpx

    async with httpx.AsyncClient(headers=HEADERS, timeout=PATIENT) as client:

        async def call(size: int) -> object:
            return json.loads((await client.get(agents_url(url, size))).content)

        yield call


@contextlib.contextmanager
def raw_httpx_everything(url: str, certificate: str | None) -> Generator[Call]:
    import httpx

    with httpx.Client(headers=HEADERS) as client:

        def call(size: int) -> int:
            offset, more = 0, True
            while more:
                page = json.loads(client.get(agents_url(url, size, offset)).content)
                offset, more = offset + len(page["agents"]), page["pagination"]["hasMore"]
            return offset

        yield call


@contextlib.contextmanager
def sdk(url: str, certificate: str | None, **options: Any) -> Generator[Call]:
    from project_platform import Client

    with Client(url, token="token", verify=trusting(certificate), **options) as client:
        agents = client.project(PROJECT).agents
        yield lambda size: agents.list(limit=size).first_page()


@contextlib.asynccontextmanager
async def sdk_async(url: str, **options: Any) -> AsyncGenerator[AsyncCall]:
    from project_platform import AsyncClient

    async with AsyncClient(url, token="token", timeout=PATIENT, **options) as client:
        agents = client.project(PROJECT).agents
        yield lambda size: agents.list(limit=size).first_page()


@contextlib.contextmanager
def sdk_everything(url: str, certificate: str | None) -> Generator[Call]:
    from project_platform import Client

    with Client(url, token="token") as client:
        agents = client.project(PROJECT).agents
        yield lambda size: sum(1 for _ in agents.list(limit=size))


RAW, NOT_REUSED = "raw httpx", "raw httpx, not reused"
SDK, SDK_ON_UVLOOP, SDK_ON_HTTPX = "SDK", "SDK on uvloop", "SDK on httpx"

SYNC: dict[str, Callable[[str, str | None], AbstractContextManager[Call]]] = {
    RAW: raw_httpx,
    NOT_REUSED: raw_httpx_not_reused,
    SDK: sdk,
    SDK_ON_HTTPX: functools.partial(sdk, transport="httpx"),
}
ASYNC: dict[str, Callable[[str], AbstractAsyncContextManager[AsyncCall]]] = {
    RAW: raw_httpx_async,
    SDK: sdk_async,
    SDK_ON_UVLOOP: sdk_async,
    SDK_ON_HTTPX: functools.partial(sdk_async, transport="httpx"),
}
EVERYTHING = {RAW: raw_httpx_everything, SDK: sdk_everything}
