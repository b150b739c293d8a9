"""The type of the fixture that leaves out a table in a run that only reads, where other tests of the rule send enough."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

Value = TypeVar("Value")


class More(Protocol):
    """Returns all values in a run that may write, and none in a run that only reads."""

    def __call__(self, values: Iterable[Value], /) -> list[Value]:
        """Return values."""
        ...
