"""Clients of a world, with a token of one of its identities."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from project_platform import AsyncClient, Client
    from project_platform_stub import Stub, World

# A loopback name (RFC 6761 section 6.3), so that the client neither uses a proxy nor refuses plain http.
IN_PROCESS = "http://stub.localhost"
_USED = timedelta(hours=12)  # for which a token is used, half of its lifetime


class SignIn(Protocol):
    """The type of the fixture `stub_sign_in`."""

    def __call__(self, identity: str | None = None, *, token: str | None = None) -> Client:
        """Return a client of the test's world, which the fixture closes.

        Args:
            identity: Key of an identity, such as `viewer`; that of the test's marker if not given.
            token: An access token to use instead, such as `stub_world.tokens.expired()`.
        """


class AsyncSignIn(Protocol):
    """The type of the fixture `stub_async_sign_in`."""

    def __call__(self, identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        """Same as `SignIn`, but for an asynchronous client, which works in any event loop."""


@dataclass(slots=True)
class WorldToken:
    """Returns a token that is valid at the time of the world, which a test may move.

    Attributes:
        world: The world.
        identity: Key of the identity.
    """

    world: World
    identity: str
    _token: str = field(default="", init=False, repr=False)
    _issued: datetime = field(default=datetime.min.replace(tzinfo=UTC), init=False)

    def __call__(self) -> str:
        """Return the token."""
        now = self.world.clock.now()
        if not timedelta() <= now - self._issued < _USED:
            self._token, self._issued = self.world.token(self.identity), now
        return self._token


@dataclass(frozen=True, slots=True)
class ClientFactory:
    """Creates clients of a world.

    Attributes:
        identity: Key of the default identity.
        base_url: Base URL of the server; None for in-process clients.
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
            token=token or WorldToken(self.world, identity or self.identity),
            project_id=self.world.project.id,
            transport=None if self.base_url else self.stub.transport(),
        )

    def async_client(self, identity: str | None = None, *, token: str | None = None) -> AsyncClient:
        """Return an asynchronous client, which need not be closed.

        An in-process client has nothing to close; one with sockets closes them at the end of its event loop.
        """
        from project_platform import AsyncClient

        return AsyncClient(
            self.base_url or IN_PROCESS,
            token=token or WorldToken(self.world, identity or self.identity),
            project_id=self.world.project.id,
            transport=None if self.base_url else self.stub.async_transport(),
        )
