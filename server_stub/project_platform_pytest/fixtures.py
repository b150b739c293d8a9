"""The fixtures. Imports are deferred, so that test runs without these fixtures load neither the SDK nor the stub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from . import AsyncSignIn, SignIn
from .options import StubOptions, ini_path, options_of
from .stub_report import StubReport

if TYPE_CHECKING:
    from project_platform import AsyncClient, AsyncProject, Client, Project
    from project_platform_stub import (
        Clock,
        FaultPlans,
        Journal,
        Outbox,
        Stub,
        StubServer,
        World,
        WorldDescription,
    )

# A loopback name (RFC 6761 section 6.3), so that a client in process neither uses a proxy nor refuses plain http.
_IN_PROCESS = "http://stub.localhost"

STUB_REPORT = pytest.StashKey[StubReport]()


@pytest.fixture(scope="session")
def stub(pytestconfig: pytest.Config) -> Stub:
    """The stub: one per test run, or per worker process."""
    try:
        from project_platform_stub import DocumentError, Stub, load_profile
    except ModuleNotFoundError as error:
        pytest.fail(f"The stub needs {error.name}: pip install 'project-platform[stub]'", pytrace=False)
    path = ini_path(pytestconfig, "stub_profile")
    try:
        return Stub(profile=load_profile(path) if path else None)
    except DocumentError as error:
        pytest.fail(str(error), pytrace=False)


@pytest.fixture(scope="session")
def _stub_servers() -> Iterator[Callable[[Stub], StubServer]]:
    """Starts the server of a stub on first use, and returns it. A module may have its own stub."""
    servers: dict[Stub, StubServer] = {}
    with ExitStack() as stack:

        def server_of(stub: Stub) -> StubServer:
            if stub not in servers:
                servers[stub] = stack.enter_context(stub.serve())
            return servers[stub]

        yield server_of


@pytest.fixture(scope="session")
def stub_server(stub: Stub, _stub_servers: Callable[[Stub], StubServer]) -> StubServer:
    """The stub on a socket."""
    return _stub_servers(stub)


@pytest.fixture
def _stub_options(request: pytest.FixtureRequest) -> StubOptions:
    """The options of the test."""
    return options_of(request)


@pytest.fixture
def stub_world(request: pytest.FixtureRequest, stub: Stub, _stub_options: StubOptions) -> Iterator[World]:
    """The world of the test, isolated from all others."""
    world = _new_world(stub, _stub_options)
    request.node.stash[STUB_REPORT] = StubReport(stub, world)
    yield world
    stub.worlds.delete(world.id)


@pytest.fixture
def stub_base_url(stub: Stub, _stub_servers: Callable[[Stub], StubServer]) -> str:
    """The base URL of the stub, for code that needs an address."""
    return _stub_servers(stub).base_url


def _new_world(stub: Stub, options: StubOptions) -> World:
    """Return a new world with the options of a test; the test fails if an option is invalid."""
    from project_platform_stub import DocumentError, Stub, world_origin
    from project_platform_stub.world.clock import system_time

    if not isinstance(stub, Stub):
        pytest.fail(
            f"The fixture 'stub' returned a {type(stub).__name__}; a fixture that replaces the plugin's must return a "
            "project_platform_stub.Stub",
            pytrace=False,
        )
    try:
        description = _described(options.world) if options.world else None
    except DocumentError as error:
        pytest.fail(str(error), pytrace=False)
    origin = world_origin(description, options.at or system_time(), options.seed) if description else None
    world = stub.worlds.create(origin=origin, seed=options.seed, at=options.at)
    keys = [identity.key for identity in world.identities.values()]
    if options.identity is not None and options.identity not in keys:
        stub.worlds.delete(world.id)
        pytest.fail(f"This world has no identity {options.identity!r}; it has: {', '.join(keys)}", pytrace=False)
    return world


@cache
def _described(path: Path) -> WorldDescription:
    from project_platform_stub import load_world_file

    return load_world_file(path)


@dataclass(frozen=True, slots=True)
class _Clients:
    """The arguments of the clients of a test's world.

    Attributes:
        identity: Key of the default identity.
        base_url: Base URL of the server; None for in-process clients.
    """

    world: World
    identity: str
    base_url: str | None

    def arguments(self, identity: str | None, token: str | None) -> dict[str, Any]:
        """Return the arguments of a client; its tokens are valid at the time of the world, which a test may move."""
        return {
            "base_url": self.base_url or _IN_PROCESS,
            "token": token or (lambda: self.world.token(identity or self.identity)),
            "project_id": self.world.project.id,
        }


@pytest.fixture
def _stub_clients(request: pytest.FixtureRequest, stub_world: World, _stub_options: StubOptions) -> _Clients:
    """The arguments of clients for the world of the test."""
    base_url: str | None = request.getfixturevalue("stub_base_url") if _stub_options.socket else None
    return _Clients(stub_world, _stub_options.identity or next(iter(stub_world.identities.values())).key, base_url)


@pytest.fixture
def stub_token(_stub_clients: _Clients) -> str:
    """An access token of the test's world."""
    return _stub_clients.world.token(_stub_clients.identity)


@pytest.fixture
def stub_sign_in(stub: Stub, _stub_clients: _Clients) -> Iterator[SignIn]:
    """A function that returns clients of the test's world: `stub_sign_in("viewer")`."""
    from project_platform import Client

    transport = stub.transport if _stub_clients.base_url is None else lambda: None
    with ExitStack() as clients:

        def sign_in(identity: str | None = None, *, token: str | None = None) -> Client:
            return clients.enter_context(Client(**_stub_clients.arguments(identity, token), transport=transport()))

        yield sign_in


@pytest.fixture
def stub_async_sign_in(stub: Stub, _stub_clients: _Clients) -> Iterator[AsyncSignIn]:
    """A function that returns asynchronous clients of the test's world, which need not be closed."""
    from project_platform import AsyncClient

    transport = stub.async_transport if _stub_clients.base_url is None else lambda: None
    # References until the end of the event loop, which closes their sockets; trio warns about sockets that are lost earlier.
    clients: list[AsyncClient] = []

    def sign_in(identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        clients.append(AsyncClient(**_stub_clients.arguments(identity, token), transport=transport()))
        return clients[-1]

    yield sign_in
    clients.clear()


@pytest.fixture
def stub_client(stub_sign_in: SignIn) -> Client:
    """A client of the test's world."""
    return stub_sign_in()


@pytest.fixture
def stub_async_client(stub_async_sign_in: AsyncSignIn) -> AsyncClient:
    """An asynchronous client of the test's world."""
    return stub_async_sign_in()


@pytest.fixture
def stub_project(stub_client: Client) -> Project:
    """The first project of the test's world, through the SDK."""
    return stub_client.project()


@pytest.fixture
def stub_async_project(stub_async_client: AsyncClient) -> AsyncProject:
    """The first project of the test's world, through the asynchronous SDK."""
    return stub_async_client.project()


@pytest.fixture
def stub_faults(stub_world: World) -> FaultPlans:
    """The planned faults of the test's world. A fault that is left at the end fails the test."""
    return stub_world.faults


@pytest.fixture
def stub_outbox(stub_world: World) -> Outbox:
    """The mails to attendees in the test's world."""
    return stub_world.outbox


@pytest.fixture
def stub_journal(stub_world: World) -> Journal:
    """The journal of the test's world."""
    return stub_world.journal


@pytest.fixture
def stub_clock(stub_world: World) -> Clock:
    """The clock of the test's world."""
    return stub_world.clock
