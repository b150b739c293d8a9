"""The ways to break the stub server, for what no operation shows: its handlers, and what it commits."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from project_platform_stub.contract import load_contract
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import HANDLERS, Call, Handler, Result, handlers
from project_platform_stub.world.store import Contents, Writes
from project_platform_stub.world.world import World

from .mutant import Break, patch


def stop_self_check() -> None:
    """Disable the stub's validation of its own responses, which would hide mutants from the suite."""

    def let_pass(*_: Any) -> None:
        return None

    patch(OperationDispatcher, "_check_response", let_pass)


def wrap(operation: str, change: Callable[[Handler, Call], Result]) -> None:
    """Put something around the handler of an operation."""
    handler = handlers(load_contract().operations)[operation]
    HANDLERS[operation] = lambda call: change(handler, call)


def without(call: Call, *names: str) -> Call:
    return replace(call, body={name: value for name, value in call.body.items() if name not in names})


def with_body(call: Call, **fields: Any) -> Call:
    return replace(call, body={**call.body, **fields})


def if_refused(operation: str, status: int, change: Callable[[Call], None]) -> None:
    """Change the world when an operation refuses a call, and commit it."""

    @contextmanager
    def transaction(self: World) -> Any:
        refused: ApiError | None = None
        with self.writing() as writes:
            try:
                yield Contents(writes, self.seed)
            except ApiError as refusal:
                refused = refusal
        if refused is not None:
            raise refused

    def changed(handler: Handler, call: Call) -> Result:
        try:
            return handler(call)
        except ApiError as refusal:
            if refusal.status == status:
                change(call)
            raise

    patch(World, "transaction", transaction)
    wrap(operation, changed)


def idle(operation: str) -> Break:
    """Return a break that lets an operation write to a copy of the world, which is discarded."""

    def answered(handler: Handler, call: Call) -> Result:
        copy = Contents(Writes(call.world._source.state), call.world.seed)
        return handler(replace(call, world=copy, project=copy.projects[call.project.id]))

    return lambda: wrap(operation, answered)
