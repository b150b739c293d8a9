"""The commands that a flow yields to its runner; `flow.py` describes their results."""

from __future__ import annotations

from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from math import inf
from typing import Any, TypeAlias, TypeVar

from .headers import Secret
from .operation import Request

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Attempt:
    """Send `request`."""

    request: Request


@dataclass(frozen=True, slots=True)
class Wait:
    """Wait before the next attempt."""

    seconds: float


@dataclass(frozen=True, slots=True)
class GetToken:
    """Get a token other than the one that the service just refused, within `seconds`."""

    refused: Secret | None = None
    seconds: float = inf


@dataclass(frozen=True, slots=True)
class Callback:
    """Call a function of the user, which may be asynchronous under an `AsyncClient` and then has to end within `seconds`."""

    function: Callable[[], Any]
    seconds: float = inf


@dataclass(frozen=True, slots=True)
class Decode:
    """Call a function that reads a large response, not on an event loop; the result is None if it takes more than `seconds`."""

    function: Callable[[], Any] = field(repr=False)  # it has the records of the attempts, before they are redacted
    seconds: float = inf


Command: TypeAlias = Attempt | Wait | GetToken | Callback | Decode
Flow: TypeAlias = Generator[Command, Any, T]
"""A flow is sent the result of each command: an `Outcome`, a token, or what the user's function returned."""
