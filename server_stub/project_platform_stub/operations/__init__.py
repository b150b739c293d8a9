"""A handler for each operation, registered where it is defined with `@operation("records_update")`."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from pkgutil import iter_modules

from project_platform_stub.contract import Operation

from .call import Handler


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
        ContractError: An operation has no handler, a handler belongs to no operation, or it reads other fields.
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
    return HANDLERS


def _place(handler: Handler) -> str:
    return f"{handler.__module__}.{handler.__qualname__}"
