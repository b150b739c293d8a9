"""A handler for each operation, registered where it is defined with `@operation("records_update")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import datetime
from importlib import import_module
from pkgutil import iter_modules
from typing import Any, TypeAlias

from project_platform_stub.contract import Operation
from project_platform_stub.profile import Profile
from project_platform_stub.world.domain import Identity, Json
from project_platform_stub.world.store import Contents, Project


@dataclass(frozen=True, slots=True)
class Call:
    """An authenticated, permitted and valid call of an operation.

    Attributes:
        world: Content of the world; writes to it become visible when the handler returns.
        project: The project of the path; the caller is a member of it. If the path names no project, the caller's home
            project, of which the caller need not be a member.
        timestamp: Time of the call as the service writes it.
        query: Query parameters of the contract, by name.
        filters: All query parameters, unparsed.
        body: The body; an empty object if the operation takes none.
    """

    world: Contents
    project: Project
    caller: Identity
    now: datetime
    timestamp: str
    path: Mapping[str, str]
    query: Mapping[str, Any]
    filters: Mapping[str, str]
    body: Json
    profile: Profile


@dataclass(frozen=True, slots=True)
class Result:
    """A successful result: JSON, or the bytes of a PDF. The profile chooses its status."""

    value: Json | bytes
    headers: Mapping[str, str] = field(default_factory=dict)


Handler: TypeAlias = Callable[[Call], Result]


class ContractError(Exception):
    """`openapi.yaml` and the handlers differ; the message names the way out."""


HANDLERS: dict[str, Handler] = {}
_FIELDS: dict[str, frozenset[str]] = {}


def operation(id: str, *fields: str) -> Callable[[Handler], Handler]:
    """Register a function as the handler of an operation, which reads these fields of the body and of the query."""

    def register(handler: Handler) -> Handler:
        if id in HANDLERS:
            raise ValueError(f"{id} has two handlers: {_place(HANDLERS[id])} and {_place(handler)}; remove one")
        HANDLERS[id], _FIELDS[id] = handler, frozenset(fields)
        return handler

    return register


def handlers(operations: Mapping[str, Operation]) -> Mapping[str, Handler]:
    """Return the handlers by operationId, from every module of this package.

    Raises:
        ContractError: An operation has no handler, a handler belongs to no operation, or it reads other fields; or the contract lacks
            a status with which the stub server refuses requests.
    """
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    if missing := sorted(operations.keys() - HANDLERS.keys()):
        raise ContractError(
            f"openapi.yaml has operations without a handler: {', '.join(missing)}; define a function under "
            f'`@operation("{missing[0]}")` in a module of {__name__}'
        )
    if unknown := sorted(HANDLERS.keys() - operations.keys()):
        places = ", ".join(f"{id} ({_place(HANDLERS[id])})" for id in unknown)
        raise ContractError(
            f"handlers of operations that openapi.yaml does not have: {places}; remove them, or add them there"
        )
    for id, described in operations.items():
        if differing := ", ".join(sorted(described.fields ^ _FIELDS[id])):
            raise ContractError(
                f"openapi.yaml and the handler of {id} differ in fields: {differing}; read each field in "
                f"{_place(HANDLERS[id])} and name it in `@operation`, or remove it"
            )
        if lacking := [str(status) for status in _refusals(described) if str(status) not in described.responses]:
            raise ContractError(
                f"openapi.yaml: {id} does not document {', '.join(lacking)}, with which requests are refused; add it to `responses`, and "
                "also to `x-uncounted` if the specification does not count it"
            )
    return HANDLERS


def _refusals(described: Operation) -> list[int]:
    """Return the statuses with which an operation is refused before its handler is called."""
    found = [401]
    if described.parameters or described.body is not None:
        found.append(400)
    if "{projectId}" in described.segments:
        found.append(403)
    if described.body is not None and not described.statuses_stated:
        found += [413, 415]
    return found


def _place(handler: Handler) -> str:
    return f"{handler.__module__}.{handler.__qualname__}"
