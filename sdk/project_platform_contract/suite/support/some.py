"""The type of the fixture that takes the beginning of a table in a run that only reads."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Protocol, TypeVar

Value = TypeVar("Value")


class Some(Protocol):
    """Returns all values in a run that may write, and the first ones in a run that only reads."""

    def __call__(self, values: Iterable[Value], least: int = 1) -> list[Value]:
        """Return values.

        Args:
            values: All values.
            least: Number of values in a run that only reads.
        """
        ...
