"""The stub server as an object: the entry point for tests and programs."""

from __future__ import annotations

from collections.abc import Callable, Collection
from datetime import datetime
from os import PathLike
from typing import TYPE_CHECKING, Self

from project_platform_stub.world.world import IDLE_AFTER, MAX_WORLDS, Worlds

from .admin.admin import Admin
from .demo import demo_origin
from .describe import describe
from .dispatch.cross_origin import CrossOrigin
from .dispatch.service import Service
from .http.server import StubServer
from .profile import Profile
from .world.clock import system_time
from .world.domain import Json
from .world.journal import Journal
from .world.store import Outbox, Project
from .world.tokens import LIFETIME, Tokens
from .world_file import WorldDescription, world_origin

if TYPE_CHECKING:
    from .http.in_process import AsyncStubTransport, StubTransport
    from .state.file import StateFile


class Stub:
    """A stub of the service, with the behaviour of the specification and one or more worlds.

    Stubs are isolated from each other; stubs with the same seed generate the same identifiers.

    Attributes:
        worlds: The worlds. The token of a request selects one of them.
        world: The first world, which always exists.

    Args:
        now: The underlying clock of the worlds' clocks; it returns aware datetimes. The system clock if not given.
        seed: Seed of the identifiers in the first world.
        profile: The behaviour where the specification is silent; the assumptions of the documentation if not given.
        strict: Whether a response of the stub that breaks `openapi.yaml` becomes a 500 with the reason.
        idle_after: Seconds without use after which a world is deleted, an hour if not given; the first one is exempt.
        max_worlds: Number of worlds, those in the state file included, from which on no other one is created.
        world: Description of the first world, from `load_world_file`; the demo world if not given.
        hosts: Additional host names that the routes under `/_stub/` accept.
        allow_origins: Origins of the web pages that may call the operations from a browser, such as
            `http://localhost:5173`; `*` for every origin. None if not given.
        state: File that stores the worlds over restarts, and whose content takes precedence over `seed` and `world`.
            They are in memory only if not given.

    Raises:
        StateFileError: The file is in use, or cannot be used.
        ValueError: An origin is malformed.
    """

    def __init__(
        self,
        *,
        now: Callable[[], datetime] = system_time,
        seed: int = 0,
        profile: Profile | None = None,
        strict: bool = True,
        idle_after: float = IDLE_AFTER,
        max_worlds: int = MAX_WORLDS,
        world: WorldDescription | None = None,
        hosts: Collection[str] = (),
        allow_origins: Collection[str] = (),
        state: str | PathLike[str] | None = None,
    ) -> None:
        given: tuple[tuple[str, object, type, str], ...] = (
            ("profile", profile, Profile, "load_profile"),
            ("world", world, WorldDescription, "load_world_file"),
        )
        for name, value, kind, load in given:
            if not isinstance(value, kind | None):
                raise TypeError(
                    f"{name} is of type {type(value).__name__}; give a {kind.__name__}, such as {load}(path)"
                )
        cross_origin = CrossOrigin(allow_origins)
        self._state: StateFile | None = None
        if state is not None:
            from .state.file import StateFile  # loads SQLite only on demand

            self._state = StateFile(state)
        self.worlds = Worlds(
            default_origin=demo_origin,
            system=now,
            file=self._state,
            idle_after=idle_after,
            max_worlds=max_worlds,
        )
        first = "demo" if world is None else world.name
        origin = None if world is None else world_origin(world, now(), seed)
        self.world = self.worlds.get(first) or self.worlds.create(first, origin=origin, seed=seed, permanent=True)
        self._service = Service(self.worlds, profile=profile or Profile(), strict=strict, cross_origin=cross_origin)
        self._service.admin = Admin(self._service, hosts).handle

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        self.close()

    def close(self) -> None:
        """Release the state file, if there is one; nothing can be written to the worlds any more."""
        if self._state is not None:
            self._state.close()

    @property
    def project(self) -> Project:
        """The first project of the first world: `Demo` in the demo world."""
        return self.world.project

    @property
    def other_project(self) -> Project:
        """The second project: `Blank` in the demo world, with the same members and no configuration."""
        return list(self.world.projects.values())[1]

    @property
    def foreign_project(self) -> Project:
        """The third project: `Elsewhere` in the demo world, whose only member is `outsider`."""
        return list(self.world.projects.values())[2]

    @property
    def tokens(self) -> Tokens:
        """The access tokens of the first world, valid and invalid ones."""
        return self.world.tokens

    @property
    def outbox(self) -> Outbox:
        """The mails to attendees in the first world, oldest first."""
        return self.world.outbox

    @property
    def unmatched_requests(self) -> Journal:
        """The requests that belong to no world, because they had no valid token."""
        return self._service.unmatched_requests

    def token(self, identity: str | None = None, lifetime: float = LIFETIME) -> str:
        """Return an access token of the first world.

        Args:
            identity: Key of the identity: `owner`, `viewer`, `service_account` or `outsider` in the demo world. The first
                identity if not given, which is `owner` in the demo world.
            lifetime: Seconds until it expires; a day if not given.
        """
        return self.world.token(identity, lifetime=lifetime)

    def describe(self, base_url: str) -> Json:
        """Return a JSON object with the address, credentials and identifiers of the first world."""
        return describe(self.world, base_url)

    def transport(self) -> StubTransport:
        """Return a transport for `httpx.Client` that reaches this stub without a socket."""
        from .http.in_process import StubTransport  # loads httpx, which the server does not need

        return StubTransport(self._service)

    def async_transport(self) -> AsyncStubTransport:
        """Return a transport for `httpx.AsyncClient` that reaches this stub without a socket, on any event loop."""
        from .http.in_process import AsyncStubTransport

        return AsyncStubTransport(self._service)

    def serve(self, host: str = "127.0.0.1", port: int = 0) -> StubServer:
        """Return a server on a socket, for a `with` statement; its `base_url` has the address.

        Args:
            host: Address to listen on.
            port: Port to listen on; 0 for a free one.
        """
        return StubServer(self._service, host, port)
