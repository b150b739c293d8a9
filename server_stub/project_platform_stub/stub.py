"""The stub server, as tests and programs hold it."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime

from .demo import demo_world
from .describe import describe
from .identity import TokenDesk
from .in_process import AsyncStubTransport, StubTransport
from .server import StubServer
from .service import Service
from .world import Invitation, Json, Project, World

TOKEN_LIFETIME = 24 * 60 * 60.0  # Seconds; a demo may well last a working day.


def _system_clock() -> datetime:
    return datetime.now(UTC)


class Stub:
    """A service that behaves as the specification says, over a demo world of its own.

    Two stubs share nothing; two with the same seed give the same identifiers.

    Attributes:
        world: The state of the service.
        project: The demo project, which has something of everything.
        other_project: A project of the same members in which nothing is configured.
        foreign_project: A project that only the identity `outsider` is a member of.
        tokens: Who issues and checks the tokens.

    Args:
        now: Clock of the service; it returns aware datetimes. The system's if not given.
        seed: What the identifiers are drawn from.
    """

    def __init__(self, *, now: Callable[[], datetime] | None = None, seed: int = 0) -> None:
        clock = now or _system_clock
        self._demo = demo_world(clock, seed)
        self.world: World = self._demo.world
        self.project: Project = self._demo.project
        self.other_project: Project = self._demo.other
        self.foreign_project: Project = self._demo.foreign
        self.tokens = TokenDesk(self.world, clock)
        self._service = Service(self.world, self.tokens, clock)

    @property
    def outbox(self) -> list[Invitation]:
        """The mails to attendees, in the order in which they were sent."""
        return self.world.outbox

    def token(self, name: str = "owner", lifetime: float = TOKEN_LIFETIME) -> str:
        """Return an access token.

        Args:
            name: Whose: `owner`, `viewer`, `service_account` or `outsider`.
            lifetime: Seconds until it expires.
        """
        return self.tokens.issue(self._demo.identities[name], lifetime)

    def describe(self, base_url: str) -> Json:
        """Return a JSON object with the address, credentials and identifiers of this stub."""
        return describe(self._demo, base_url, {name: self.token(name) for name in self._demo.identities})

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
