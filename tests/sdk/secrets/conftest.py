"""Clients with every secret that a client may have, sync, asyncio and trio, for a server that repeats all of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from project_platform import RetryPolicy, Timeout

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
def client_of(server: RepeatingServer, open_client: Callable[..., Any]) -> Callable[..., Any]:
    """Return a function that creates a client whose requests end in one way."""

    def client_of(mode: str, **options: Any) -> Any:
        options = {
            "token": TOKEN,
            "headers": CLIENT_HEADERS,
            "retry": RetryPolicy(max_attempts=2, initial_delay=0.0),
            "timeout": IMPATIENT if mode == "silent" else PATIENT,
            **options,
        }
        return open_client(f"{server.base_url}/{mode}", **options)

    return client_of
