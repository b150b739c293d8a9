"""The stub server, as tests and programs hold it."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from os import PathLike
from types import TracebackType
from typing import TYPE_CHECKING, Self

from .admin import Admin
from .demo import demo_origin
from .describe import describe
from .dispatch.service import Service
from .http.server import StubServer
from .profile.profile import Profile
from .world.clock import system_time
from .world.domain import Json
from .world.journal import Journal
from .world.registry import IDLE_AFTER, Worlds
from .world.tokens import LIFETIME, Tokens
from .world.views import Outbox, Project
from .world.world import World

if TYPE_CHECKING:
    from .http.in_process import AsyncStubTransport, StubTransport
    from .state.file import StateFile
    from .world_file import WorldDescription


class Stub:
    """A service that behaves as the specification says, over worlds of its own.

    Two stubs share nothing; two with the same seed give the same identifiers.

    Attributes:
        worlds: Its worlds. A token says which of them a request means.
        world: The first of them, which is there from the start.

    Args:
        now: The clock that the worlds' clocks run beside; it returns aware datetimes. The system's if not given.
        seed: What the identifiers in the first world are drawn from.
        profile: What is done where the specification is silent; what the documentation assumes if not given.
        strict: Whether an answer of the stub's own that breaks `openapi.yaml` becomes a 500 that says how.
        idle_after: Seconds after which a world that is not used is deleted, an hour if not given; the first one stays.
        world: What the first world is made from, as `load_world_file` returns it; the demo world if not given.
        hosts: Names beside those of this machine under which the routes under `/_stub/` may be reached.
        state: File that stores the worlds over restarts, and whose content takes precedence over `seed` and `world`.
            They are in memory only if not given.

    Raises:
        StateFileError: The file is in use, or cannot be used.
    """

    def __init__(
        self,
        *,
        now: Callable[[], datetime] = system_time,
        seed: int = 0,
        profile: Profile | None = None,
        strict: bool = True,
        idle_after: float = IDLE_AFTER,
        world: WorldDescription | None = None,
        hosts: Collection[str] = (),
        state: str | PathLike[str] | None = None,
    ) -> None:
        self._state = None if state is None else _state_file(state)
        ring = None if self._state is None else self._state.ring
        self.worlds = Worlds(
            default_origin=demo_origin, system=now, ring=ring, persistence=self._state, idle_after=idle_after
        )
        for loaded in () if self._state is None else self._state.load_worlds(now):
            self.worlds.add(loaded)
        first = "demo" if world is None else world.name
        self.world = self.worlds.get(first) or self._first(first, world, seed, now)
        self._service = Service(self.worlds, profile=profile or Profile(), strict=strict)
        self._service.mount(b"/_stub/", Admin(self._service, hosts).handle)

    def _first(self, id: str, described: WorldDescription | None, seed: int, now: Callable[[], datetime]) -> World:
        origin = None
        if described is not None:
            from .world_file import world_origin  # most stubs need none

            origin = world_origin(described, now(), seed)
        return self.worlds.create(id, origin=origin, seed=seed, stays=True)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, exc_type: type[BaseException] | None, exc: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Release the state file, if there is one; nothing can be written to the worlds any more."""
        if self._state is not None:
            self._state.close()

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

    @property
    def strays(self) -> Journal:
        """The requests that belong to no world: those without a good token."""
        return self._service.strays

    def token(self, identity: str | None = None, lifetime: float = LIFETIME) -> str:
        """Return an access token of the first world.

        Args:
            identity: Whose: in the demo world `owner`, `viewer`, `service_account` or `outsider`. That of the first
                identity if not given, in the demo world of the owner.
            lifetime: Seconds until it expires; a day if not given.
        """
        return self.world.token(identity, lifetime=lifetime)

    def describe(self, base_url: str) -> Json:
        """Return a JSON object with the address, credentials and identifiers of the first world."""
        return describe(self.world, base_url)

    def transport(self) -> StubTransport:
        """Return a transport for `httpx.Client` that reaches this stub without a socket."""
        from .http.in_process import StubTransport  # httpx is loaded where it is needed; the server does without

        return StubTransport(self._service)

    def async_transport(self) -> AsyncStubTransport:
        """Return a transport for `httpx.AsyncClient` that reaches this stub without a socket, on any event loop."""
        from .http.in_process import AsyncStubTransport

        return AsyncStubTransport(self._service)

    def serve(self, host: str = "127.0.0.1", port: int = 0) -> StubServer:
        """Return a server on a socket, to be used in a `with` statement; its `base_url` says where it is.

        Args:
            host: Address to listen on.
            port: Port to listen on; 0 takes a free one.
        """
        return StubServer(self._service, host, port)


def _state_file(path: str | PathLike[str]) -> StateFile:
    from .state.file import StateFile  # SQLite is loaded where it is needed.

    return StateFile(path)
