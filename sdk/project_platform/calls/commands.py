"""The commands that a flow yields to its runner; `flow.py` describes their results."""

from __future__ import annotations

from collections.abc import Callable, Generator
from math import inf
from typing import Any, NamedTuple, TypeAlias, TypeVar

from .headers import Secret
from .operation import Request

T = TypeVar("T")


class Attempt(NamedTuple):
    """Send `request`."""

    request: Request


class Wait(NamedTuple):
    """Wait before the next attempt."""

    seconds: float


class GetToken(NamedTuple):
    """Get a token other than the one that the service just refused, within `seconds`."""

    refused: Secret | None = None
    seconds: float = inf


class Callback(NamedTuple):
    """Call a function of the user, which may be asynchronous under an `AsyncClient` and then has to end within `seconds`."""

    function: Callable[[], Any]
    seconds: float = inf


class Decode(NamedTuple):
    """Call a function that reads a large response, not on an event loop; the result is None if it takes more than `seconds`."""

    function: Callable[[], Any]
    seconds: float = inf

    def __repr__(self) -> str:
        return (
            f"Decode(seconds={self.seconds})"  # the function has the records of the attempts, before they are redacted
        )


Command: TypeAlias = Attempt | Wait | GetToken | Callback | Decode
Flow: TypeAlias = Generator[Command, Any, T]
"""A flow is sent the result of each command: an `Outcome`, a token, or what the user's function returned."""
