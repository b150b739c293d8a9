"""The fixtures. Imports are deferred, so that test runs without these fixtures load neither the SDK nor the stub."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from .options import StubOptions, ini_path, options_of
from .sign_in import AsyncSignIn, ClientFactory, SignIn
from .stub_report import StubReport
from .worlds import new_world, read_profile

if TYPE_CHECKING:
    from project_platform import AsyncClient, AsyncProject, Client, Project
    from project_platform_stub import Clock, FaultPlans, Journal, Outbox, Stub, StubServer, World

STUB_REPORT = pytest.StashKey[StubReport]()


@pytest.fixture(scope="session")
def stub(pytestconfig: pytest.Config) -> Stub:
    """The stub: one per test run, or per worker process."""
    try:
        from project_platform_stub import Stub
    except ModuleNotFoundError as error:
        pytest.fail(f"The stub needs {error.name}: pip install 'project-platform[stub]'", pytrace=False)
    path = ini_path(pytestconfig, "stub_profile")
    return Stub(profile=read_profile(path) if path else None)


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
    world = new_world(stub, _stub_options)
    request.node.stash[STUB_REPORT] = StubReport(stub, world)
    yield world
    stub.worlds.delete(world.id)


@pytest.fixture
def stub_base_url(stub: Stub, _stub_servers: Callable[[Stub], StubServer]) -> str:
    """The base URL of the stub, for code that needs an address."""
    return _stub_servers(stub).base_url


@pytest.fixture
def _stub_clients(
    request: pytest.FixtureRequest, stub: Stub, stub_world: World, _stub_options: StubOptions
) -> ClientFactory:
    """A factory of clients for the world of the test."""
    base_url: str | None = request.getfixturevalue("stub_base_url") if _stub_options.socket else None
    identity = _stub_options.identity or next(iter(stub_world.identities.values())).key
    return ClientFactory(stub, stub_world, identity, base_url)


@pytest.fixture
def stub_token(_stub_clients: ClientFactory) -> str:
    """An access token of the test's world."""
    return _stub_clients.world.token(_stub_clients.identity)


@pytest.fixture
def stub_sign_in(_stub_clients: ClientFactory) -> Iterator[SignIn]:
    """A function that returns clients of the test's world: `stub_sign_in("viewer")`."""
    with ExitStack() as clients:

        def sign_in(identity: str | None = None, *, token: str | None = None) -> Client:
            return clients.enter_context(_stub_clients.client(identity, token=token))

        yield sign_in


@pytest.fixture
def stub_async_sign_in(_stub_clients: ClientFactory) -> Iterator[AsyncSignIn]:
    """A function that returns asynchronous clients of the test's world."""
    # References until the end of the event loop, which closes their sockets; trio warns about sockets that are lost earlier.
    clients: list[AsyncClient] = []

    def sign_in(identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        clients.append(_stub_clients.async_client(identity, token=token))
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
