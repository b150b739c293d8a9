"""What generated resources stand on: something that sends calls, and the project that is their scope."""

from __future__ import annotations

from typing import TYPE_CHECKING, Protocol, TypeVar

from .operation import Answer, Call

if TYPE_CHECKING:
    from collections.abc import Callable

    from .capabilities import Capabilities
    from .configuration import Options
    from .flow import Flow, Settings

T = TypeVar("T")


class Sender(Protocol):
    """What sends calls: a `Client`."""

    @property
    def capabilities(self) -> Capabilities:
        """What is known of the deployment."""
        ...

    def send(self, call: Call[T], *, options: Options | None = None) -> Answer[T]:
        """Send a call and return its answer."""
        ...

    def carry_out(self, steps: Callable[[Settings], Flow[T]], options: Options | None = None) -> T:
        """Carry out a flow that is made from the client's settings, and return what it returns."""
        ...


class AsyncSender(Protocol):
    """Same as `Sender`, but for an `AsyncClient`."""

    @property
    def capabilities(self) -> Capabilities:
        """What is known of the deployment."""
        ...

    async def send(self, call: Call[T], *, options: Options | None = None) -> Answer[T]:
        """Send a call and return its answer."""
        ...

    async def carry_out(self, steps: Callable[[Settings], Flow[T]], options: Options | None = None) -> T:
        """Carry out a flow that is made from the client's settings, and return what it returns."""
        ...


class Resource:
    """Operations that belong together."""

    __slots__ = ("_capabilities", "_project_id", "_sender")

    def __init__(self, sender: Sender, project_id: str) -> None:
        self._sender = sender
        self._capabilities = sender.capabilities
        self._project_id = project_id

    def _send(self, call: Call[T], options: Options | None) -> T:
        return self._sender.send(call, options=options).value


class AsyncResource:
    """Same as `Resource`, but its methods are awaited."""

    __slots__ = ("_capabilities", "_project_id", "_sender")

    def __init__(self, sender: AsyncSender, project_id: str) -> None:
        self._sender = sender
        self._capabilities = sender.capabilities
        self._project_id = project_id

    async def _send(self, call: Call[T], options: Options | None) -> T:
        return (await self._sender.send(call, options=options)).value
