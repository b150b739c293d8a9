"""Registers services that keep the specification, with the sentence that leaves the choice."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from ..mutant import VARIATIONS, Break, Json, Kind, alter_value

allowed = Kind("allowed", registry=VARIATIONS)

UPDATES = ("records_update", "memory_update", "calendar_reschedule")
WRITERS = ("workflows_create", "records_create", "records_update", "sidebar_replace", "memory_update", "calendar_book")


def vary(name: str, sentence: str, operations: tuple[str, ...], apply: Break) -> None:
    """Register a change for each operation whose rules are to be run on it."""
    for operation in operations:
        allowed.add(name if len(operations) == 1 else f"{name} at {operation}", operation, sentence, apply)


def varies(sentence: str, *operations: str) -> Callable[[Break], Break]:
    """Register a function that changes the service; its name is the name of the variation."""

    def register(function: Break) -> Break:
        vary(function.__name__.replace("_", " "), sentence, operations, function)
        return function

    return register


def differ(sentence: str, rows: Mapping[str, Callable[[Json], Any]], *operations: str) -> None:
    """Register changes of the values of successful responses, in place, each at all of the operations."""

    def apply(change: Callable[[Json], Any]) -> None:
        for operation in operations:
            alter_value(operation, change)

    for name, change in rows.items():
        vary(name, sentence, operations, partial(apply, change))
