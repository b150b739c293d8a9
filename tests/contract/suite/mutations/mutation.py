"""The mutation type, and the ways to break a stub: its schemas, the handler of an operation, its responses.

A mutation changes the stub of the whole process, and cannot be undone.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias, cast

from project_platform_contract.rules import RULES
from project_platform_contract.rules.kinds import dashed
from project_platform_stub.contract import Operation, load_contract
from project_platform_stub.dispatch.context import RequestContext
from project_platform_stub.dispatch.dispatcher import OperationDispatcher
from project_platform_stub.dispatch.service import Service
from project_platform_stub.http.json import parse_json, write_json
from project_platform_stub.http.messages import Response
from project_platform_stub.operations import HANDLERS, handlers
from project_platform_stub.operations.call import Answer, Call, Handler

Break: TypeAlias = Callable[[], None]


@dataclass(frozen=True)
class Mutation:
    """A way to break the stub.

    Attributes:
        name: The name of the defect.
        kills: Rules that must be violated; of a pattern such as `errors.body.*`, at least one.
        also: Patterns of other rules that may be violated. The rules that check every response of the broken operation
            (`answers.*`, `errors.body.*`, `schema.*`) and those of sequences always may. No other rule may be violated.
        apply: Breaks the stub.
    """

    name: str
    kills: tuple[str, ...]
    also: tuple[str, ...]
    apply: Break

    @property
    def areas(self) -> frozenset[str]:
        """Patterns of the rules whose tests are enough to detect the mutation.

        That is the area of a rule that must be violated, such as `records.update.*`. Where any rule of the area may be
        violated, the rule alone is enough.
        """
        found: set[str] = set()
        for pattern in self.kills:
            area = ".".join(part for part in pattern.split(".")[:2] if part != "*")
            free = any(fnmatchcase(f"{area}.*", also) for also in self.also)
            found.update([pattern] if free else [area, f"{area}.*"])
        return frozenset(found)

    def verdict(self, violated: set[str]) -> str | None:
        """Return the reason why the violated rules are not the expected ones; None if they are."""
        missing = [pattern for pattern in self.kills if not any(fnmatchcase(id, pattern) for id in violated)]
        if missing:
            return f"survived: {', '.join(missing)} not violated"
        fine = (*self.kills, *self.also, *_SEQUENCES, *self._every_answer())
        others = {id for id in violated if not any(fnmatchcase(id, pattern) for pattern in fine)}
        return f"unrelated rules violated: {', '.join(sorted(others))}" if others else None

    def _every_answer(self) -> Iterator[str]:
        """Yield the rules that check every response of the broken operations."""
        for operation in {
            rule.operation for rule in RULES.values() if any(fnmatchcase(rule.id, id) for id in self.kills)
        }:
            if operation is not None:
                yield from (f"{area}.{dashed(operation)}" for area in _EVERY_ANSWER)


# Rules of sequences of requests that are compared with a model, and of fields together: they notice most defects of their operations.
_SEQUENCES = ("calendar.sequence*", "sidebar.replace.sequence", "scope.any-order.*", "workflows.limits.together")
_EVERY_ANSWER = ("answers", "errors.body", "schema", "schema.invalid-refused")

MUTATIONS: dict[str, Mutation] = {}


def mutation(*kills: str, also: tuple[str, ...] = ()) -> Callable[[Break], Break]:
    """Register a function that breaks the stub; its name, with spaces, is the name of the mutation."""

    def register(function: Break) -> Break:
        name = function.__name__.replace("_", " ")
        MUTATIONS[name] = Mutation(name, kills, also, function)
        return function

    return register


def patch(owner: Any, name: str, value: Any) -> None:
    """Replace an existing attribute of a module or class."""
    getattr(owner, name)
    setattr(owner, name, value)


def stop_self_check() -> None:
    """Disable the stub's validation of its own responses, which would hide many mutations from the suite."""

    def let_pass(*_: Any) -> None:
        return None

    patch(OperationDispatcher, "_check_response", let_pass)


def schema(name: str, *path: str) -> dict[str, Any]:
    """Return a request schema of the stub, or one of its properties, to be changed in place."""
    node: dict[str, Any] = load_contract().components["schemas"][name]
    for part in path:
        node = node["items"] if part == "items" and "items" in node else node["properties"][part]
    return node


def wrap(operation: str, change: Callable[[Handler, Call], Answer]) -> None:
    """Put something around the rule of an operation."""
    rule = handlers(load_contract().operations)[operation]
    HANDLERS[operation] = lambda call: change(rule, call)


def alter_operation(operation: str, **changes: Any) -> None:
    """Change what the stub's contract says of an operation, such as its permission."""
    operations = cast("dict[str, Operation]", load_contract().operations)
    operations[operation] = replace(operations[operation], **changes)


def without(call: Call, *names: str) -> Call:
    """Return a call without some members of its body."""
    return replace(call, body={name: value for name, value in call.body.items() if name not in names})


def with_body(call: Call, **fields: Any) -> Call:
    """Return a call with additional or other members in its body."""
    return replace(call, body={**call.body, **fields})


def with_query(call: Call, **fields: Any) -> Call:
    """Return a call with additional or other query parameters."""
    return replace(call, query={**call.query, **fields})


def alter_value(operation: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the value of the successful responses of an operation, in place; stored data does not change."""

    def altered(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        value = deepcopy(answer.value)
        assert isinstance(value, dict)
        change(value)
        return Answer(value, answer.headers)

    wrap(operation, altered)


def alter_responses(change: Callable[[str | None, Response], Response]) -> None:
    """Change all responses.

    Args:
        change: Returns the response to send, given the operationId, or None if the request addresses no operation.
    """
    respond = Service._respond_and_record

    def altered(self: Service, context: RequestContext, carry_out: Callable[[], Response]) -> Response:
        response = respond(self, context, carry_out)  # which operation is meant, the context says only now
        return change(context.operation, response)

    patch(Service, "_respond_and_record", altered)


def alter_errors(change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the bodies of all errors, in place."""

    def altered(operation: str | None, response: Response) -> Response:
        if response.status < 400:
            return response
        body = json.loads(response.body)
        change(body)
        return replace(response, body=write_json(body))

    alter_responses(altered)


def alter_status(operation: str, old: int, new: int) -> None:
    """Replace one status of an operation with another."""

    def altered(of: str | None, response: Response) -> Response:
        return replace(response, status=new) if (of, response.status) == (operation, old) else response

    alter_responses(altered)


def alter_fields(names: Collection[str], change: Callable[[Any], Any]) -> None:
    """Change the fields with some names in all responses, at any depth, unless they are null."""

    def changed(value: Any) -> Any:
        if isinstance(value, list):
            return [changed(item) for item in value]
        if not isinstance(value, dict):
            return value
        return {
            name: change(member) if name in names and member is not None else changed(member)
            for name, member in value.items()
        }

    def altered(operation: str | None, response: Response) -> Response:
        if response.headers.get("Content-Type") != "application/json":
            return response
        return replace(response, body=write_json(changed(parse_json(response.body.decode()))))

    alter_responses(altered)
