"""What a mutation is, and the ways to break the stub: at its schemas, at the rule of an operation, at its answers.

They change the stub of one process, for as long as that lives.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Collection, Iterator
from copy import deepcopy
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from typing import Any, TypeAlias, cast

from project_platform_contract.rules import RULES
from project_platform_contract.rules.per_operation import dashed
from project_platform_stub.contract import Operation, load_contract
from project_platform_stub.dispatch.context import Note
from project_platform_stub.dispatch.dispatcher import Performer
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
        name: What is broken.
        kills: Rules that must be violated; of a pattern such as `errors.body.*` at least one.
        also: Other rules that may be violated with them, as patterns. Those that look at every answer of an operation
            (`answers.*`, `errors.body.*`, `schema.*`) may be where it is broken. Any other violated rule is a wrong one.
        apply: Breaks it.
    """

    name: str
    kills: tuple[str, ...]
    also: tuple[str, ...]
    apply: Break

    @property
    def areas(self) -> frozenset[str]:
        """Patterns of the rules whose tests are enough to see it, such as `records.update.*`."""
        areas = (".".join(part for part in pattern.split(".")[:2] if part != "*") for pattern in self.kills)
        return frozenset(pattern for area in areas for pattern in (area, f"{area}.*"))

    def verdict(self, violated: set[str]) -> str | None:
        """Return what is wrong with the rules that were violated; None if they are the right ones."""
        missing = [pattern for pattern in self.kills if not any(fnmatchcase(id, pattern) for id in violated)]
        if missing:
            return f"survived: {', '.join(missing)} not violated"
        fine = (*self.kills, *self.also, *self._every_answer())
        others = {id for id in violated if not any(fnmatchcase(id, pattern) for pattern in fine)}
        return f"also violated, which has nothing to do with it: {', '.join(sorted(others))}" if others else None

    def _every_answer(self) -> Iterator[str]:
        """Give the rules that look at every answer of the operations that are broken."""
        for operation in {
            rule.operation for rule in RULES.values() if any(fnmatchcase(rule.id, id) for id in self.kills)
        }:
            if operation is not None:
                yield from (f"{area}.{dashed(operation)}" for area in ("answers", "errors.body", "schema"))


MUTATIONS: dict[str, Mutation] = {}


def mutation(*kills: str, also: tuple[str, ...] = ()) -> Callable[[Break], Break]:
    """Register a function that breaks the stub; what it is called says what is broken."""

    def register(function: Break) -> Break:
        name = function.__name__.replace("_", " ")
        MUTATIONS[name] = Mutation(name, kills, also, function)
        return function

    return register


def patch(owner: Any, name: str, value: Any) -> None:
    """Put something in the place of a module's or a class's own, which must be there."""
    getattr(owner, name)
    setattr(owner, name, value)


def stop_self_check() -> None:
    """Let the stub give answers that break the contract: otherwise it would find many a mutation before the suite does."""

    def let_pass(*_: Any) -> None:
        return None

    patch(Performer, "_keep", let_pass)


def schema(name: str, *path: str) -> dict[str, Any]:
    """Return a schema that the stub holds requests against, or a property of it, to be changed in place."""
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
    """Return a call whose body lacks some fields."""
    return replace(call, body={name: value for name, value in call.body.items() if name not in names})


def with_body(call: Call, **fields: Any) -> Call:
    """Return a call with other fields in its body."""
    return replace(call, body={**call.body, **fields})


def with_query(call: Call, **fields: Any) -> Call:
    """Return a call with other query parameters."""
    return replace(call, query={**call.query, **fields})


def alter_value(operation: str, change: Callable[[dict[str, Any]], Any]) -> None:
    """Change the value of an operation's successful answers, in place; what is stored stays as it is."""

    def altered(rule: Handler, call: Call) -> Answer:
        answer = rule(call)
        value = deepcopy(answer.value)
        assert isinstance(value, dict)
        change(value)
        return Answer(value, answer.headers)

    wrap(operation, altered)


def alter_responses(change: Callable[[str | None, Response], Response]) -> None:
    """Change what goes out, given the operation; of a request that is none it is None."""
    respond = Service._noted

    def altered(self: Service, note: Note, carry_out: Callable[[], Response]) -> Response:
        response = respond(self, note, carry_out)  # which operation is meant, the note says only now
        return change(note.operation, response)

    patch(Service, "_noted", altered)


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
    """Answer an operation with another status where it has this one."""

    def altered(of: str | None, response: Response) -> Response:
        return replace(response, status=new) if (of, response.status) == (operation, old) else response

    alter_responses(altered)


def alter_fields(names: Collection[str], change: Callable[[Any], Any]) -> None:
    """Change fields of these names in all answers, wherever they stand, unless they are null."""

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
