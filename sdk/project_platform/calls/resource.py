"""The base classes of the generated resources, and the methods that they require of a client."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol, TypeVar

from .operation import Call, TypedResponse

if TYPE_CHECKING:
    from collections.abc import Callable

    from ..settling import Settleable, SettledWrite
    from .capabilities import Capabilities
    from .commands import Flow
    from .configuration import Options
    from .flow import Settings

T = TypeVar("T")


class Caller(Protocol):
    """Makes the calls of a resource: a `Client`."""

    @property
    def base_url(self) -> str:
        """URL of the service."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """The facts known about the deployment."""
        ...

    def send(self, call: Call[T], *, options: Options | None = None) -> TypedResponse[T]:
        """Send a call and return its response."""
        ...

    def settle(self, what: Settleable, *, options: Options | None = None) -> SettledWrite[Any]:
        """Return how a write ended whose response was lost."""
        ...

    def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        """Run the flow made from the settings that apply, and return its result."""
        ...


class AsyncCaller(Protocol):
    """Same as `Caller`, but for an `AsyncClient`."""

    @property
    def base_url(self) -> str:
        """URL of the service."""
        ...

    @property
    def capabilities(self) -> Capabilities:
        """The facts known about the deployment."""
        ...

    async def send(self, call: Call[T], *, options: Options | None = None) -> TypedResponse[T]:
        """Send a call and return its response."""
        ...

    async def settle(self, what: Settleable, *, options: Options | None = None) -> SettledWrite[Any]:
        """Return how a write ended whose response was lost."""
        ...

    async def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        """Run the flow made from the settings that apply, and return its result."""
        ...


class _Fixed:
    """Refuses new attributes: each access of `project.records` returns another object, so one that is set has no effect."""

    __slots__ = ("_caller", "_capabilities", "_project_id")

    def __setattr__(self, name: str, value: object) -> None:
        if not name.startswith("_"):
            kind = type(self).__name__
            raise AttributeError(f"{kind}.{name} cannot be set here: each access makes a new {kind}; patch the class")
        super().__setattr__(name, value)


class Resource(_Fixed):
    """Base class of a group of operations."""

    __slots__ = ()

    def __init__(self, caller: Caller, project_id: str) -> None:
        self._caller = caller
        self._capabilities = caller.capabilities
        self._project_id = project_id

    def _send(self, call: Call[T], options: Options | None) -> T:
        return self._caller.send(call, options=options).value

    def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        # Private to users of a client, not to its resources.
        return self._caller._run(flow_from, options)  # pyright: ignore[reportPrivateUsage]


class AsyncResource(_Fixed):
    """Same as `Resource`, but its methods are awaited."""

    __slots__ = ()

    def __init__(self, caller: AsyncCaller, project_id: str) -> None:
        self._caller = caller
        self._capabilities = caller.capabilities
        self._project_id = project_id

    async def _send(self, call: Call[T], options: Options | None) -> T:
        return (await self._caller.send(call, options=options)).value

    async def _run(self, flow_from: Callable[[Settings], Flow[T]], options: Options | None) -> T:
        return await self._caller._run(flow_from, options)  # pyright: ignore[reportPrivateUsage]
