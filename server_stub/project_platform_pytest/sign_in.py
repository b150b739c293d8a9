"""Clients of a world, signed in as one of its identities."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from project_platform import AsyncClient, Client
    from project_platform_stub import Stub, World

# Never resolved, and of this machine (RFC 6761 section 6.3): no proxy, and no complaint about plain http.
IN_PROCESS = "http://stub.localhost"


class SignIn(Protocol):
    """What the fixture `stub_sign_in` is."""

    def __call__(self, identity: str | None = None, *, token: str | None = None) -> Client:
        """Return a client of the test's world, which the fixture closes.

        Args:
            identity: Who is signed in, such as `viewer`; as the test's marker says if not given.
            token: An access token to use instead, such as `stub_world.tokens.expired()`.
        """
        ...


class AsyncSignIn(Protocol):
    """What the fixture `stub_async_sign_in` is."""

    def __call__(self, identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        """Same as `SignIn`, but the client is asynchronous. It works in the event loop of the test, whichever it is."""
        ...


@dataclass(frozen=True, slots=True)
class Door:
    """The way into a world.

    Attributes:
        stub: The stub that the world is in.
        world: The world.
        identity: The key of who is signed in, unless something else is said.
        base_url: Where its server listens; None to do without a socket.
    """

    stub: Stub
    world: World
    identity: str
    base_url: str | None

    def client(self, identity: str | None = None, *, token: str | None = None) -> Client:
        """Return a client; the caller closes it."""
        from project_platform import Client

        return Client(
            self.base_url or IN_PROCESS,
            token=token or self.world.token(identity or self.identity),
            project_id=self.world.project.id,
            transport=None if self.base_url else self.stub.transport(),
        )

    def async_client(self, identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        """Return an asynchronous client; nobody need close it.

        In process it has nothing to close, and over sockets it closes them when the event loop ends that it was used in.
        """
        from project_platform import AsyncClient

        return AsyncClient(
            self.base_url or IN_PROCESS,
            token=token or self.world.token(identity or self.identity),
            project_id=self.world.project.id,
            transport=None if self.base_url else self.stub.async_transport(),
        )
