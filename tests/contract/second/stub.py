"""The ways to break the stub server, for what no operation shows: its handlers, and what it commits."""

from __future__ import annotations

from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Any

from project_platform_stub.contract import load_contract
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.http.errors import ApiError
from project_platform_stub.operations import HANDLERS, Call, Handler, Result, handlers
from project_platform_stub.world.store import Contents, Writes
from project_platform_stub.world.world import World

from .mutant import Change, Way, patch


def stop_self_check() -> None:
    """Disable the stub's validation of its own responses, which would hide mutants from the suite."""
    patch(OperationDispatcher, "_check_response", lambda *_: None)


def around(operation: str) -> Way:
    """Replace the handler of an operation with a function of the original handler and the call."""

    def way(change: Change) -> None:
        HANDLERS[operation] = partial(change, handlers(load_contract().operations)[operation])

    return way


def without(call: Call, *names: str) -> Call:
    return replace(call, body={name: value for name, value in call.body.items() if name not in names})


def if_refused(operation: str, status: int) -> Way:
    """Change the world with a function of the call when an operation refuses it, and commit it."""

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

    def changed(change: Change, handler: Handler, call: Call) -> Result:
        try:
            return handler(call)
        except ApiError as refusal:
            if refusal.status == status:
                change(call)
            raise

    def way(change: Change) -> None:
        patch(World, "transaction", transaction)
        around(operation)(partial(changed, change))

    return way


def idle(handler: Handler, call: Call) -> Result:
    """Let an operation write to a copy of the world, which is discarded."""
    copy = Contents(Writes(call.world._source.state), call.world.seed)
    return handler(replace(call, world=copy, project=copy.projects[call.project.id]))
