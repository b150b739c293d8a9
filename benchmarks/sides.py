"""The clients under test. Each opens a client and yields a function that fetches a list of objects and reads it.

The SDK and its peers return typed objects, raw clients return the dicts of `json.loads`. Each is imported when it is used,
since the peers are installed in another environment than the SDK.
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


@contextlib.contextmanager
def raw_httpx2(url: str, certificate: str | None) -> Generator[Call]:
    import httpx2

    with httpx2.Client(headers=HEADERS) as client:
        yield lambda size: json.loads(client.get(agents_url(url, size)).content)


@contextlib.asynccontextmanager
async def raw_httpx2_async(url: str) -> AsyncGenerator[AsyncCall]:
    import httpx2

    async with httpx2.AsyncClient(headers=HEADERS) as client:

        async def call(size: int) -> object:
            return json.loads((await client.get(agents_url(url, size))).content)

        yield call


@contextlib.asynccontextmanager
async def raw_aiohttp_async(url: str) -> AsyncGenerator[AsyncCall]:
    import aiohttp

    async with aiohttp.ClientSession(headers=HEADERS) as session:

        async def call(size: int) -> object:
            async with session.get(agents_url(url, size)) as response:
                return json.loads(await response.read())

        yield call


@contextlib.contextmanager
def openai(url: str, certificate: str | None) -> Generator[Call]:
    from openai import OpenAI

    with OpenAI(api_key="token", base_url=f"{url}/openai") as client:
        yield lambda size: client.fine_tuning.jobs.list(limit=size)


@contextlib.asynccontextmanager
async def openai_async(url: str) -> AsyncGenerator[AsyncCall]:
    from openai import AsyncOpenAI

    async with AsyncOpenAI(api_key="token", base_url=f"{url}/openai") as client:

        async def call(size: int) -> object:
            return await client.fine_tuning.jobs.list(limit=size)

        yield call


@contextlib.contextmanager
def stripe(url: str, certificate: str | None) -> Generator[Call]:
    from stripe import StripeClient

    client = StripeClient("sk_test_token", base_addresses={"api": f"{url}/stripe"})
    yield lambda size: client.v1.customers.list({"limit": size})


@contextlib.contextmanager
def githubkit(url: str, certificate: str | None) -> Generator[Call]:
    from githubkit import GitHub

    with GitHub("token", base_url=f"{url}/github", http_cache=False) as client:
        yield lambda size: client.rest.users.list(per_page=size).parsed_data


@contextlib.asynccontextmanager
async def githubkit_async(url: str) -> AsyncGenerator[AsyncCall]:
    from githubkit import GitHub

    async with GitHub("token", base_url=f"{url}/github", http_cache=False) as client:

        async def call(size: int) -> object:
            return (await client.rest.users.async_list(per_page=size)).parsed_data

        yield call


@contextlib.contextmanager
def stock(url: str, certificate: str | None) -> Generator[Call]:
    from project_platform_api_client import AuthenticatedClient
    from project_platform_api_client.api.agents import agents_list

    with AuthenticatedClient(url, token="token") as client:
        yield lambda size: agents_list.sync(PROJECT, client=client, limit=size)


@contextlib.asynccontextmanager
async def stock_async(url: str) -> AsyncGenerator[AsyncCall]:
    from project_platform_api_client import AuthenticatedClient
    from project_platform_api_client.api.agents import agents_list

    async with AuthenticatedClient(url, token="token") as client:

        async def call(size: int) -> object:
            return await agents_list.asyncio(PROJECT, client=client, limit=size)

        yield call


RAW, SDK, SDK_ON_HTTPX = "raw httpx", "SDK", "SDK on httpx"

SYNC: dict[str, Callable[[str, str | None], AbstractContextManager[Call]]] = {
    RAW: raw_httpx,
    SDK: sdk,
    SDK_ON_HTTPX: functools.partial(sdk, transport="httpx"),
    "raw httpx2": raw_httpx2,
    "openai": openai,
    "stripe": stripe,
    "githubkit": githubkit,
    "stock generated client": stock,
}
ASYNC: dict[str, Callable[[str], AbstractAsyncContextManager[AsyncCall]]] = {
    RAW: raw_httpx_async,
    SDK: sdk_async,
    SDK_ON_HTTPX: functools.partial(sdk_async, transport="httpx"),
    "raw httpx2": raw_httpx2_async,
    "raw aiohttp": raw_aiohttp_async,
    "openai": openai_async,
    "githubkit": githubkit_async,
    "stock generated client": stock_async,
}
EVERYTHING = {RAW: raw_httpx_everything, SDK: sdk_everything}
