"""The fixtures. Each imports what it needs when it is asked for: who uses none of them pays for none."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import ExitStack
from typing import TYPE_CHECKING

import pytest

from .account import Account
from .sign_in import AsyncSignIn, Door, SignIn
from .wanted import Wanted, ini_path, wanted
from .worlds import new_world, read_profile

if TYPE_CHECKING:
    from project_platform import AsyncClient, AsyncProject, Client, Project
    from project_platform_stub import Clock, FaultPlans, Journal, Outbox, Stub, StubServer, World

ACCOUNT = pytest.StashKey[Account]()


@pytest.fixture(scope="session")
def stub(pytestconfig: pytest.Config) -> Stub:
    """The stub: one for the test run, or for each of its workers."""
    try:
        from project_platform_stub import Stub
    except ModuleNotFoundError as error:
        pytest.fail(f"The stub needs {error.name}: pip install 'project-platform[stub]'", pytrace=False)
    path = ini_path(pytestconfig, "stub_profile")
    return Stub(profile=read_profile(path) if path else None)


@pytest.fixture(scope="session")
def stub_server(stub: Stub) -> Iterator[StubServer]:
    """The stub on a socket; it is started when the first test needs it."""
    with stub.serve() as server:
        yield server


@pytest.fixture
def _stub_wanted(request: pytest.FixtureRequest) -> Wanted:
    """What the test says that it wants."""
    return wanted(request)


@pytest.fixture
def stub_world(request: pytest.FixtureRequest, stub: Stub, _stub_wanted: Wanted) -> Iterator[World]:
    """The test's own world, which nobody else sees."""
    world = new_world(stub, _stub_wanted)
    request.node.stash[ACCOUNT] = Account(stub, world)
    yield world
    stub.worlds.delete(world.id)


@pytest.fixture
def stub_base_url(stub_server: StubServer) -> str:
    """Where the stub listens, for code that needs an address."""
    return stub_server.base_url


@pytest.fixture
def _stub_door(request: pytest.FixtureRequest, stub: Stub, stub_world: World, _stub_wanted: Wanted) -> Door:
    """The way into the test's world."""
    base_url: str | None = request.getfixturevalue("stub_base_url") if _stub_wanted.socket else None
    identity = _stub_wanted.identity or next(iter(stub_world.identities.values())).key
    return Door(stub, stub_world, identity, base_url)


@pytest.fixture
def stub_token(_stub_door: Door) -> str:
    """An access token of the test's world."""
    return _stub_door.world.token(_stub_door.identity)


@pytest.fixture
def stub_sign_in(_stub_door: Door) -> Iterator[SignIn]:
    """A function that makes clients of the test's world: `stub_sign_in("viewer")`."""
    with ExitStack() as clients:

        def sign_in(identity: str | None = None, *, token: str | None = None) -> Client:
            return clients.enter_context(_stub_door.client(identity, token=token))

        yield sign_in


@pytest.fixture
def stub_async_sign_in(_stub_door: Door) -> Iterator[AsyncSignIn]:
    """A function that makes asynchronous clients of the test's world."""
    # They are kept until the event loop has ended, which closes their sockets; trio warns of one that is lost earlier.
    clients: list[AsyncClient] = []

    def sign_in(identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        clients.append(_stub_door.async_client(identity, token=token))
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
    """What is planned to go wrong in the test's world. What is left of it in the end fails the test."""
    return stub_world.faults


@pytest.fixture
def stub_outbox(stub_world: World) -> Outbox:
    """The mails that were sent to attendees in the test's world."""
    return stub_world.outbox


@pytest.fixture
def stub_journal(stub_world: World) -> Journal:
    """The requests that the test's world has had."""
    return stub_world.journal


@pytest.fixture
def stub_clock(stub_world: World) -> Clock:
    """The clock that the test's world goes by."""
    return stub_world.clock
