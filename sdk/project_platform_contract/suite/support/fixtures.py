"""The types of the fixtures that are functions."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

RestoreAfter = Callable[[str], None]
"""Call it before requests of an operation that may change what the run did not create; it is restored after the test."""

More = Callable[[Iterable[Any]], list[Any]]
"""Returns all of some values, or none in a run that only reads, where other tests of the rule send enough."""
