"""A write that a timeout of an async library interrupts: the value that was sent is settled."""

from __future__ import annotations

import asyncio
import contextlib
import re
from typing import Any

import anyio
import pytest
import trio

from project_platform import AsyncClient, operations
from project_platform_stub import Stub, faults

SECONDS = 0.05


async def asyncio_timeout(send):
    """`asyncio.timeout`."""
    async with asyncio.timeout(SECONDS):
        await send()


async def asyncio_wait_for(send):
    """`asyncio.wait_for`."""
    await asyncio.wait_for(send(), SECONDS)


async def asyncio_group(send):
    """A task that fails beside the write."""

    async def fail():
        await asyncio.sleep(SECONDS)
        raise TimeoutError

    async with asyncio.TaskGroup() as group:
        group.create_task(send())
        group.create_task(fail())


async def anyio_fail_after(send):
    """`anyio.fail_after`."""
    with anyio.fail_after(SECONDS):
        await send()


async def trio_fail_after(send):
    """`trio.fail_after`, whose exception is no `TimeoutError`."""
    with trio.fail_after(SECONDS):
        await send()


async def trio_nursery(send):
    """A nursery whose scope is cancelled."""
    async with trio.open_nursery() as nursery:
        nursery.start_soon(send)
        await trio.sleep(SECONDS)
        nursery.cancel_scope.cancel()


LIBRARIES = [
    ("asyncio", asyncio_timeout),
    ("asyncio", asyncio_wait_for),
    ("asyncio", asyncio_group),
    ("asyncio", anyio_fail_after),
    ("trio", anyio_fail_after),
    ("trio", trio_fail_after),
    ("trio", trio_nursery),
]


@pytest.mark.parametrize(("backend", "interrupted"), LIBRARIES)
@pytest.mark.parametrize("kind", ["call", "change", "record"])
@pytest.mark.parametrize("applied", [True, False])
def test_the_value_that_was_sent_is_settled(backend, interrupted, kind, applied):
    """A call, a change or a typed record: its guard fences, so it is finished."""
    stub = Stub()

    async def run() -> Any:
        options = {"token": stub.token(), "project_id": stub.project.id, "transport": stub.async_transport()}
        async with AsyncClient("https://stub.example", **options) as client:
            deals = client.project().records.of("deal")
            deal = await deals.create({"stage": "open"})
            call = operations.records_update(
                stub.project.id, deal.id, data={"stage": "won"}, expected_data={"stage": "open"}
            )
            change = client.project().records.change(deal.raw, {"stage": "won"})
            deal.data["stage"] = "won"
            stub.world.faults.plan("records_update", faults.hang(60, applied=applied))
            with contextlib.suppress(TimeoutError, trio.TooSlowError, ExceptionGroup):
                await interrupted(
                    {
                        "call": lambda: client.send(call),
                        "change": lambda: client.project().records.apply(change),
                        "record": lambda: deals.save(deal),
                    }[kind]
                )
            stub.world.faults.clear()
            if kind == "record":
                return await deals.settle(deal)
            return await client.settle(call if kind == "call" else change)

    settled = anyio.run(run, backend=backend)

    assert settled.applied == ("in effect" if applied else "yes")
    assert [record["data"] for record in stub.project.records.values()][-1] == {"stage": "won"}


def test_the_note_of_an_interruption_is_right():
    """It is all that is left of a call that was made without a value, and is followed literally."""
    stub = Stub()

    async def run() -> Any:
        options = {"token": stub.token(), "project_id": stub.project.id, "transport": stub.async_transport()}
        async with AsyncClient("https://stub.example", **options) as client:
            stub.world.faults.plan("memory_update", faults.hang(60, applied=True))
            with pytest.raises(TimeoutError) as caught:
                await asyncio_timeout(lambda: client.project().memory.update("welcome", title="Hi"))
            cause = caught.value.__cause__ or caught.value.__context__  # the latter before Python 3.11.4
            (note,) = cause.__notes__
            pattern = r"; await (.+), where call is that of this exception, or (.+)\(project_id, \.\.\.\) with the same"
            advice, operation = re.search(pattern, note).groups()
            call = eval(operation)(stub.project.id, "welcome", title="Hi")
            assert (call.path, call.body) == (cause.call.path, cause.call.body)
            return await eval(advice, {"client": client, "call": call})

    assert anyio.run(run).applied == "in effect"
