"""Clients with every secret that a client may have, sync, asyncio and trio, for a server that repeats all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest

from project_platform import AsyncClient, Client, RetryPolicy, Timeout

from ..conftest import Waited
from .repeating_server import RepeatingServer
from .showing import CLIENT_HEADERS, TOKEN

IMPATIENT, PATIENT = Timeout(read=0.3), Timeout()


@pytest.fixture
def server() -> Iterator[RepeatingServer]:
    """A server that repeats the credentials of a request wherever a response can have them."""
    server = RepeatingServer()
    yield server
    server.stop()


@pytest.fixture
def client_of(server: RepeatingServer, portal: Any) -> Iterator[Callable[..., Any]]:
    """Return a function that creates a client whose requests end in one way."""
    with ExitStack() as stack:

        def client_of(mode: str, **options: Any) -> Any:
            options = {
                "token": TOKEN,
                "headers": CLIENT_HEADERS,
                "retry": RetryPolicy(max_attempts=2, initial_delay=0.0),
                "timeout": IMPATIENT if mode == "silent" else PATIENT,
                **options,
            }
            url = f"{server.base_url}/{mode}"
            if portal is None:
                return stack.enter_context(Client(url, **options))
            return stack.enter_context(Waited(AsyncClient(url, **options), portal))

        yield client_of
