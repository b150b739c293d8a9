"""The SDK behind a fuse, sync, on asyncio and on trio: the fuse checks every attempt."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from typing import Any

import anyio
import pytest

from project_platform import AsyncClient, Client, NotSentError, RetryPolicy, ServerError, TransportError
from project_platform_contract.fuse import FusedAsyncTransport, FusedTransport
from project_platform_stub import Stub
from project_platform_stub.faults import status

from ..conftest import ServedStub
from .fuse_requests import STUB, fuse_for

AT_ONCE = RetryPolicy(max_attempts=3, initial_delay=0.0)


@pytest.fixture
def stub() -> Stub:
    return Stub()


def test_every_attempt_of_a_sync_client_is_checked(stub):
    """Each attempt of a retry counts, and a write is blocked although errors are retried."""
    stub.world.faults.plan("agents_list", [status(503)] * 3)
    fuse = fuse_for(stub, "read", requests=3)
    transport = FusedTransport(stub.transport(), fuse)
    with Client(STUB, token=stub.tokens.valid("owner"), transport=transport, retry=AT_ONCE) as client:
        project = client.project(stub.project.id)
        for call in (
            lambda: project.records.create(type_slug="deal"),
            lambda: project.sidebar.replace(sections=[]),
            lambda: project.memory.update("welcome", title="x"),
        ):
            with pytest.raises(NotSentError, match="'write'; allowed: read"):
                call()
        assert fuse.passed == 0
        with pytest.raises(ServerError):
            list(project.agents.list())
        with pytest.raises(TransportError, match="the budget of 3 requests is spent"):
            list(project.agents.list())

    assert fuse.passed == len(stub.world.journal) == 3
    assert ServedStub(stub, STUB).non_read_requests == list(stub.outbox) == []


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_the_fuse_checks_async_clients(stub, backend):
    """Reads are sent at the pace, writes are blocked, and every attempt counts."""
    stub.world.faults.plan("agents_list", status(503))
    fuse = fuse_for(stub, "read", requests=4, pace=0.05)
    messages: list[str] = []

    async def use() -> float:
        transport = FusedAsyncTransport(stub.async_transport(), fuse)
        started = anyio.current_time()
        async with AsyncClient(STUB, token=stub.tokens.valid("owner"), transport=transport, retry=AT_ONCE) as client:
            project = client.project(stub.project.id)
            assert [agent.name async for agent in project.agents.list()]
            await record_error(lambda: project.sidebar.replace(sections=[]))
            await record_error(lambda: project.calendar.book(start="2031-03-03T09:00:00Z", summary="x"))
            await project.web_analytics.get_config()
            async with anyio.create_task_group() as group:
                for _ in range(3):
                    group.start_soon(record_error, project.posts.list)
        return anyio.current_time() - started

    async def record_error(call: Callable[[], Awaitable[Any]]) -> None:
        try:
            await call()
        except NotSentError as error:  # the fuse shows that it held the request back
            messages.append(str(error))

    seconds = anyio.run(use, backend=backend)

    assert [("allowed: read" in message, "is spent" in message) for message in messages] == [(True, False)] * 2 + [
        (False, True)
    ] * 2
    assert fuse.passed == len(stub.world.journal) == 4
    assert seconds >= 3 * 0.05
    assert ServedStub(stub, STUB).non_read_requests == list(stub.outbox) == []
