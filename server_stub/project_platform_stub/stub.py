"""The stub server, as tests and programs hold it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import datetime

from .clock import system_time
from .contents import Outbox, Project
from .describe import describe
from .in_process import AsyncStubTransport, StubTransport
from .server import StubServer
from .service import Service
from .tokens import LIFETIME, Tokens
from .values import Json
from .world import World
from .worlds import IDLE_AFTER, Worlds


class Stub:
    """A service that behaves as the specification says, over worlds of its own.

    Two stubs share nothing; two with the same seed give the same identifiers.

    Attributes:
        worlds: Its worlds. A token says which of them a request means.
        world: The first of them, which is there from the start.

    Args:
        now: The clock that the worlds' clocks run beside; it returns aware datetimes. The system's if not given.
        seed: What the identifiers in the first world are drawn from.
        strict: Whether an answer of the stub's own that breaks `openapi.yaml` becomes a 500 that says how.
        idle_after: Seconds after which a world that is not used is deleted; the first one stays.
    """

    def __init__(
        self,
        *,
        now: Callable[[], datetime] = system_time,
        seed: int = 0,
        strict: bool = True,
        idle_after: float = IDLE_AFTER,
    ) -> None:
        self.worlds = Worlds(system=now, idle_after=idle_after)
        self.world: World = self.worlds.create("demo", seed=seed, stays=True)
        self._service = Service(self.worlds, strict=strict)

    @property
    def project(self) -> Project:
        """The first project of the first world: in the demo world, the one that has something of everything."""
        return self.world.project

    @property
    def other_project(self) -> Project:
        """The second project: in the demo world, one of the same members in which nothing is configured."""
        return list(self.world.projects.values())[1]

    @property
    def foreign_project(self) -> Project:
        """The third project: in the demo world, one that only the identity `outsider` is a member of."""
        return list(self.world.projects.values())[2]

    @property
    def tokens(self) -> Tokens:
        """The access tokens of the first world, good ones and bad ones."""
        return self.world.tokens

    @property
    def outbox(self) -> Outbox:
        """The mails to attendees in the first world, in the order in which they were sent."""
        return self.world.outbox

    def token(self, identity: str = "owner", lifetime: float = LIFETIME) -> str:
        """Return an access token of the first world.

        Args:
            identity: Whose: in the demo world `owner`, `viewer`, `service_account` or `outsider`.
            lifetime: Seconds until it expires.
        """
        return self.world.token(identity, lifetime=lifetime)

    def describe(self, base_url: str) -> Json:
        """Return a JSON object with the address, credentials and identifiers of the first world."""
        return describe(self.world, base_url)

    def transport(self) -> StubTransport:
        """Return a transport for `httpx.Client` that reaches this stub without a socket."""
        return StubTransport(self._service)

    def async_transport(self) -> AsyncStubTransport:
        """Return a transport for `httpx.AsyncClient` that reaches this stub without a socket, on any event loop."""
        return AsyncStubTransport(self._service)

    def serve(self, host: str = "127.0.0.1", port: int = 0) -> StubServer:
        """Return a server on a socket, to be used in a `with` statement; its `base_url` says where it is.

        Args:
            host: Address to listen on.
            port: Port to listen on; 0 takes a free one.
        """
        return StubServer(self._service, host, port)
