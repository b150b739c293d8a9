"""The mutant type, and the ways to break the second implementation: its functions, its operations, its responses.

A mutant changes the service of the whole process, and cannot be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass, field, replace
from functools import partial, wraps
from typing import Any, Literal

from .service import OPERATIONS, Service
from .service.app import Call, Refusal, Reply, Request, find

Json = dict[str, Any]
Break = Callable[[], None]
Perform = Callable[[Call], Any]

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

    def add(self, name: str, operation: str, sentence: str, apply: Break) -> None:
        id = name.replace(" ", "-")
        if id in MUTANTS.keys() | VARIATIONS.keys() | DOWN.keys() | HEALTHY.keys():
            raise ValueError(f"there are two mutants {id!r}")
        self.registry[id] = Mutant(id, self.name, operation, sentence, self.target, apply)

    def __call__(self, operation: str, sentence: str) -> Callable[[Break], Break]:
        """Register a function that breaks the service; its name is the name of the mutant."""

        def register(function: Break) -> Break:
            self.add(function.__name__.replace("_", " "), operation, sentence, function)
            return function

        return register


def patch(owner: Any, name: str, value: Any) -> None:
    """Replace an existing attribute of a module or class."""
    getattr(owner, name)
    setattr(owner, name, value)


def wrap(operation: str, change: Callable[[Perform, Call], Any]) -> None:
    """Put something around an operation."""
    perform = OPERATIONS[operation].perform
    OPERATIONS[operation].perform = lambda call: change(perform, call)


def alter_body(operation: str, change: Callable[[Json], Any]) -> None:
    """Change the body that an operation reads, in place; a body that cannot be changed is invalid, and stays so."""

    def altered(perform: Perform, call: Call) -> Any:
        body = deepcopy(call.body)
        with suppress(AttributeError, KeyError, TypeError, ValueError):
            change(body)
        return perform(replace(call, body=body))

    wrap(operation, altered)


def alter_query(operation: str, change: Callable[[Json], Any]) -> None:
    """Change the query that an operation reads, in place, if it can be changed."""

    def altered(perform: Perform, call: Call) -> Any:
        query = dict(call.query)
        with suppress(KeyError, ValueError):
            change(query)
        return perform(replace(call, query=query))

    wrap(operation, altered)


def alter_value(operation: str, change: Callable[[Json], Any]) -> None:
    """Change the value of the successful responses of an operation, in place; stored data does not change."""

    def altered(perform: Perform, call: Call) -> Any:
        value = deepcopy(perform(call))
        change(value)
        return value

    wrap(operation, altered)


def alter_replies(change: Callable[[str | None, Request, Reply], Reply]) -> None:
    """Change all responses.

    Args:
        change: Returns the response to send, given the operation, or None if the request addresses none.
    """
    respond = Service.__call__

    def altered(self: Service, request: Request) -> Reply:
        reply = respond(self, request)
        try:
            operation, _ = find(request.method, request.target.partition("?")[0])
        except Refusal:
            operation = None
        return change(operation, request, reply)

    patch(Service, "__call__", altered)


def decorating(apply: Callable[[Any], None], *memories: Any) -> Callable[[Callable[..., Any]], Break]:
    """Return a decorator that turns a changed function into a break with the same name.

    Args:
        apply: Puts the changed function in the place of another one.
        memories: Objects that the changed function keeps between calls; they are its first arguments.
    """
    return lambda change: wraps(change)(lambda: apply(partial(change, *memories)))


def around(operation: str, *memories: Any) -> Callable[[Callable[..., Any]], Break]:
    """Change an operation with a function of the memories, the original function and the call."""
    return decorating(partial(wrap, operation), *memories)


def instead(owner: Any, name: str, *memories: Any) -> Callable[[Callable[..., Any]], Break]:
    """Replace a function or method with one of the memories, the original function and its arguments."""

    def apply(change: Callable[..., Any]) -> None:
        original = getattr(owner, name)
        patch(owner, name, lambda *arguments, **options: change(original, *arguments, **options))

    return decorating(apply, *memories)


def replies(*memories: Any) -> Callable[[Callable[..., Any]], Break]:
    """Change all responses with a function of the memories, the operation, the request and the response."""
    return decorating(alter_replies, *memories)


def values(operation: str, *memories: Any) -> Callable[[Callable[..., Any]], Break]:
    """Change the value of successful responses in place with a function of the memories and the value."""
    return decorating(partial(alter_value, operation), *memories)


def bodies(operation: str, *memories: Any) -> Callable[[Callable[..., Any]], Break]:
    """Change the body that an operation reads in place with a function of the memories and the body."""
    return decorating(partial(alter_body, operation), *memories)


def walk(value: Any, change: Callable[[Any], Any]) -> Any:
    """Return a JSON value in which each value below objects and arrays is changed, from the inside out."""
    if isinstance(value, dict):
        return change({key: walk(member, change) for key, member in value.items()})
    if isinstance(value, list):
        return change([walk(item, change) for item in value])
    return change(value)


def kinds() -> Iterator[str]:
    yield from dict.fromkeys(mutant.kind for mutant in MUTANTS.values())
