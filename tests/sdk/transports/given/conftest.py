"""Clients and transports of httpx and httpx2, as users give them to a client of the SDK."""

from __future__ import annotations

import importlib
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
from anyio.from_thread import BlockingPortal


@pytest.fixture(params=["httpx", "httpx2"])
def library(request: pytest.FixtureRequest) -> Any:
    """The module httpx or httpx2."""
    return importlib.import_module(request.param)


@pytest.fixture
def given(library: Any, way: str, portal: BlockingPortal | None) -> Iterator[Callable[..., Any]]:
    """Return a function that creates a client or a transport by the name of its synchronous class."""
    with ExitStack() as stack:

        def given(name: str = "Client", **options: Any) -> Any:
            created = getattr(library, name if way == "sync" else f"Async{name}")(**options)
            stack.callback(created.close if portal is None else lambda: portal.call(created.aclose))
            return created

        yield given


@pytest.fixture
def hook(way: str) -> Callable[..., Any]:
    """Return a function that creates an event hook from a function, asynchronous if the client is."""

    def hook(function: Callable[[Any], object]) -> Any:
        async def asynchronous(value: Any) -> None:
            function(value)

        return function if way == "sync" else asynchronous

    return hook


@pytest.fixture
def book(connect: Callable[..., Any], project_id: str) -> Callable[..., Any]:
    """Return a function that books an appointment through a transport; a booking is never sent twice."""

    def book(base_url: str, transport: Any, **options: Any) -> Any:
        project = connect(base_url, transport=transport, allow_insecure=True, **options).project(project_id)
        return project.calendar.book(start="2026-11-20T09:00:00Z", summary="Visit")

    return book
