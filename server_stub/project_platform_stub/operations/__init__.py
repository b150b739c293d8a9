"""What the service does: a handler for each operation, registered where it is defined with `@operation("records_update")`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from importlib import import_module
from pkgutil import iter_modules

from project_platform_stub.contract import ContractError

from .call import Handler

HANDLERS: dict[str, Handler] = {}


def operation(id: str) -> Callable[[Handler], Handler]:
    """Register a function as the handler of an operation.

    Args:
        id: Its operationId.
    """

    def register(handler: Handler) -> Handler:
        if id in HANDLERS:
            raise ValueError(f"{id} has two handlers: {_place(HANDLERS[id])} and {_place(handler)}; remove one")
        HANDLERS[id] = handler
        return handler

    return register


def handlers(operations: Collection[str]) -> Mapping[str, Handler]:
    """Return the handlers by operationId, from every module of this package.

    Args:
        operations: The operations of the contract, by operationId.

    Raises:
        ContractError: An operation has no handler, or a handler belongs to no operation.
    """
    for module in iter_modules(__path__, f"{__name__}."):
        import_module(module.name)
    if missing := sorted(set(operations) - HANDLERS.keys()):
        raise ContractError(
            f"openapi.yaml has operations without a handler: {', '.join(missing)}; define a function under "
            f'`@operation("{missing[0]}")` in a module of {__name__}'
        )
    if unknown := sorted(HANDLERS.keys() - set(operations)):
        places = ", ".join(f"{id} ({_place(HANDLERS[id])})" for id in unknown)
        raise ContractError(
            f"handlers of operations that openapi.yaml does not have: {places}; remove them, or add them there"
        )
    return HANDLERS


def _place(handler: Handler) -> str:
    return f"{handler.__module__}.{handler.__qualname__}"
