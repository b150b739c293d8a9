"""The mutant type, and the ways to break the second implementation: its functions, its operations, its responses.

A mutant changes the service of the whole process, and cannot be undone.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, Literal

from .service import OPERATIONS, Service
from .service.app import Call, Refusal, Reply, Request, find

Break = Callable[[], None]
Perform = Callable[[Call], Any]
Change = Callable[..., Any]
Way = Callable[[Change], Any]
"""Puts a changed function in the place of another one; it may decorate the function."""

MUTANTS: dict[str, Mutant] = {}
"""Services that violate the specification, by name."""
VARIATIONS: dict[str, Mutant] = {}
"""Services that keep the specification and differ where it is silent, by name."""
DOWN: dict[str, Mutant] = {}
"""Services of which one operation accepts no valid request, by name."""
HEALTHY: dict[str, Mutant] = {}
"""The service as it is, and one that makes all other choices, by name; all rules are run on them."""


@dataclass(frozen=True)
class Mutant:
    """A service that violates the specification, or is a variation of one that keeps it.

    Attributes:
        id: The name of the defect.
        kind: The kind of the defect.
        operation: The operation that has the defect.
        sentence: What the specification says, and this service does not do; of a variation, what leaves the choice.
        target: The implementation that is broken: `second`, or `stub` for what no operation shows.
        apply: Breaks the service.
    """

    id: str
    kind: str
    operation: str
    sentence: str
    target: Literal["second", "stub"]
    apply: Break


@dataclass(frozen=True)
class Kind:
    """Registers mutants of one kind."""

    name: str
    target: Literal["second", "stub"] = "second"
    registry: dict[str, Mutant] = field(default_factory=lambda: MUTANTS)

    def add(self, name: str, sentence: str, operations: str, apply: Break) -> None:
        """Register a service for each operation whose rules are to be run on it; blanks separate operations."""
        for operation in operations.split(" "):
            id = (name if operation == operations else f"{name} at {operation}").replace(" ", "-")
            if id in MUTANTS.keys() | VARIATIONS.keys() | DOWN.keys() | HEALTHY.keys():
                raise ValueError(f"there are two mutants {id!r}")
            self.registry[id] = Mutant(id, self.name, operation, sentence, self.target, apply)

    def __call__(self, sentence: str, operations: str) -> Callable[[Break], Break]:
        """Register a function that breaks the service; its name is the name of the mutant."""

        def register(function: Break) -> Break:
            self.add(function.__name__.replace("_", " "), sentence, operations, function)
            return function

        return register

    def change(self, sentence: str, operations: str, *, at: Way | None = None, memory: Any = None) -> Way:
        """Register a change; its name is the name of the mutant.

        Args:
            sentence: What the service does not do or, of a variation, what leaves the choice.
            operations: Operations whose rules are to be run, separated by blanks.
            at: Where the change is made; without it, around the first operation.
            memory: An object that the change keeps between calls; it is its first argument.
        """
        way = at or around(operations.partition(" ")[0])

        def register(change: Change) -> Change:
            kept = change if memory is None else partial(change, memory)
            self.add(change.__name__.replace("_", " "), sentence, operations, lambda: way(kept))
            return change

        return register


def patch(owner: Any, name: str, value: Any) -> None:
    """Replace an existing attribute of a module or class."""
    getattr(owner, name)
    setattr(owner, name, value)


def instead(owner: Any, name: str) -> Way:
    """Replace a function or method with one of the original function and its arguments."""

    def way(change: Change) -> Change:
        original = getattr(owner, name)
        patch(owner, name, lambda *arguments, **options: change(original, *arguments, **options))
        return change

    return way


def around(operation: str) -> Way:
    """Replace what an operation does with a function of the original function and the call."""
    return instead(OPERATIONS[operation], "perform")


def _changed(change: Change, value: Any, *errors: type[Exception]) -> Any:
    """Return a changed copy of a value."""
    value = deepcopy(value)
    with suppress(*errors):
        change(value)
    return value


def bodies(operation: str) -> Way:
    """Change the body that an operation reads, in place; a body that cannot be changed is invalid, and stays so."""
    invalid = AttributeError, KeyError, TypeError, ValueError
    return lambda change: around(operation)(
        lambda perform, call: perform(replace(call, body=_changed(change, call.body, *invalid)))
    )


def queries(operation: str) -> Way:
    """Change the query that an operation reads, in place, if it can be changed."""
    return lambda change: around(operation)(
        lambda perform, call: perform(replace(call, query=_changed(change, call.query, KeyError, ValueError)))
    )


def values(operation: str) -> Way:
    """Change the value of the successful responses of an operation, in place; stored data does not change."""
    return lambda change: around(operation)(lambda perform, call: _changed(change, perform(call)))


def replies(change: Callable[[str | None, Request, Reply], Reply]) -> None:
    """Change all responses with a function of the operation, or None if the request addresses none, the request and the response."""

    def altered(respond: Callable[[Service, Request], Reply], self: Service, request: Request) -> Reply:
        reply = respond(self, request)
        try:
            operation, _ = find(request.method, request.target.partition("?")[0])
        except Refusal:
            operation = None
        return change(operation, request, reply)

    instead(Service, "__call__")(altered)


def walk(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a JSON value in which each value below objects and arrays is changed, from the inside out."""
    if isinstance(value, dict):
        return change({key: walk(member, change) for key, member in value.items()})
    if isinstance(value, list):
        return change([walk(item, change) for item in value])
    return change(value)
