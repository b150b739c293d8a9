"""Mutants that are generated from `openapi.yaml`: each field of each operation, broken by each operator that fits it.

A mutant that changed no request and no response of a run is idle: that run cannot notice it.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Mapping
from copy import deepcopy
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import yaml

from .mutant import Break, Kind, Perform, Way, around, bodies, queries, replies, values
from .service.app import Call, Refusal, Reply, Request
from .service.world import Json

Change = Callable[[Json, str], None]
Where = tuple[str, ...]
Defect = tuple[Kind, str, Break]

CONTRACT = yaml.safe_load(Path(__file__).parents[3].joinpath("openapi.yaml").read_text("utf-8"))
METHODS = frozenset({"get", "post", "put", "patch", "delete"})
WAIT = 0.02  # Seconds that a response waits for a simultaneous one.

responses, requests = Kind("generated: responses"), Kind("generated: requests")
limits, states = Kind("generated: limits"), Kind("generated: states")

changes: list[str] = []
"""Identifiers of operations whose requests or responses a generated mutant has changed in this process."""


def resolved(schema: Json) -> Json:
    """Return a schema with its references followed."""
    while "$ref" in schema:
        node: Any = CONTRACT
        for part in schema["$ref"].removeprefix("#/").split("/"):
            node = node[part]
        schema = node
    return schema


def fields(schema: Json, path: Where = ()) -> Iterator[tuple[Where, Json, bool]]:
    """Yield the fields below a schema: path, schema and whether it is required; `*` stands for the items of an array."""
    schema = resolved(schema)
    if "items" in schema:
        yield (*path, "*"), resolved(schema["items"]), False
        yield from fields(schema["items"], (*path, "*"))
    for name, member in schema.get("properties", {}).items():
        yield (*path, name), resolved(member), name in schema.get("required", ())
        yield from fields(member, (*path, name))


def at(value: Any, path: Where, change: Change) -> None:
    """Change a field in place, wherever its path leads."""
    head, *rest = path
    if head == "*":
        for item in value if isinstance(value, list) else ():
            at(item, tuple(rest), change)
    elif isinstance(value, dict) and head in value:
        if rest:
            at(value[head], tuple(rest), change)
        else:
            change(value, head)


def shifted(value: Any, path: Where) -> None:
    """Give each item of an array the field of the next one, in place."""
    found: list[tuple[Json, str]] = []
    at(value, path, lambda owner, name: found.append((owner, name)))
    values = [owner[name] for owner, name in found]
    for (owner, name), other in zip(found, values[1:] + values[:1], strict=True):
        owner[name] = other


def first_forever() -> Change:
    """Return an operator that repeats the first value, as a cache without a key does."""
    seen: list[Any] = []

    def change(owner: Json, name: str) -> None:
        seen.append(deepcopy(owner[name]))
        owner[name] = seen[0]

    return change


def lost(owner: Json, name: str) -> None:
    del owner[name]


def lost_if(drop: Callable[[Any], bool]) -> Change:
    """Return an operator that removes some values."""
    return lambda owner, name: lost(owner, name) if drop(owner[name]) else None


def each(kind: type | tuple[type, ...], change: Callable[[Any], Any]) -> Change:
    """Return an operator on values of a type."""
    return lambda owner, name: owner.update({name: change(owner[name])}) if isinstance(owner[name], kind) else None


def without_nulls(value: Any) -> Any:
    """Return a value without the nulls in its arrays."""
    if isinstance(value, list):
        return [without_nulls(item) for item in value if item is not None]
    return {key: without_nulls(part) for key, part in value.items()} if isinstance(value, dict) else value


def distinct(items: list[Any]) -> list[Any]:
    return [item for number, item in enumerate(items) if item not in items[:number]]


ANY: Mapping[str, Change] = {
    "is ignored": lost,
    "is ignored if falsy": lost_if(lambda value: not value),
    "is the first one forever": first_forever(),
}
BY_TYPE: Mapping[str, Mapping[str, Change]] = {
    "string": {
        "is trimmed": each(str, str.strip),
        "is cut after 30 characters": each(str, lambda text: text[:30]),
        "is in lower case": each(str, str.lower),
        "loses what is not ASCII": each(str, lambda text: text.encode("ascii", "ignore").decode()),
    },
    "array": {
        "loses duplicates": each(list, distinct),
        "loses nulls": each(list, without_nulls),
        "loses its last item": each(list, lambda items: items[:-1]),
        "is reversed": each(list, lambda items: items[::-1]),
    },
    "object": {
        "loses nulls in arrays": each(dict, without_nulls),
        "loses empty members": each(
            dict, lambda value: {key: part for key, part in value.items() if part not in ("", [], {})}
        ),
        "has keys in lower case": each(dict, lambda value: {key.lower(): part for key, part in value.items()}),
        "has numbers as texts": each(
            dict, lambda value: {key: str(part) if type(part) is int else part for key, part in value.items()}
        ),
    },
    "boolean": {"is inverted": each(bool, lambda flag: not flag)},
    "integer": {"is one more": each(int, lambda number: number + 1)},
}
FREE_TEXT = BY_TYPE["string"].keys()
UNSEEN = frozenset({"summary", "description", "attendee", "metadata", "notifyAttendees"})
"""Fields of events that no operation shows; `mutants/unseen.py` has broken stub servers for them."""


def types(schema: Json) -> set[str]:
    stated = schema.get("type", [])
    return set(stated if isinstance(stated, list) else [stated])


def watched(operation: str, change: Callable[[Json], Any]) -> Callable[[Json], None]:
    """Return a change that records whether it changed something."""

    def watching(value: Json) -> None:
        before = deepcopy(value)
        try:
            change(value)
        finally:
            if value != before:
                changes.append(operation)

    return watching


def broken(way: Callable[[str], Way], operation: str, path: Where, change: Change) -> Break:
    """Return a break of a field of responses, bodies or queries."""
    return partial(way(operation), watched(operation, lambda value: at(value, path, change)))


def in_responses(operation: str, schema: Json, sent: frozenset[str]) -> Iterator[Defect]:
    """Yield defects of the fields of responses.

    Args:
        operation: The operationId.
        schema: Schema of the response.
        sent: Fields of requests. Of a value that no request states, nothing says which is right, unless it is an identifier
            or a part of the report of a template, which the data file states.
    """
    for path, _, required in fields(schema):
        name = f"response {' '.join(path)}"
        if path[-1] == "*":
            continue
        wrong = {"is of another type": lambda owner, key: owner.update({key: [owner[key]]})}
        wrong |= {"is missing": lost} if required else {}
        known = path[-1] in sent | {"id", "bookingUid", "hasMore"} or "report" in path
        wrong |= {"is the first one forever": first_forever()} if known else {}
        for how, operator in wrong.items():
            yield responses, f"{name} {how}", broken(values, operation, path, operator)
        if "*" in path and known and sent:
            change = watched(operation, lambda value, path=path: shifted(value, path))
            yield responses, f"{name} is that of the next", partial(values(operation), change)


def in_bodies(operation: str, schema: Json) -> Iterator[Defect]:
    """Yield defects of the fields of bodies, and of their limits."""
    for path, field, _ in fields(schema):
        if path[-1] == "*":
            continue
        name = f"request {' '.join(path)}"
        operators = {**ANY, **{how: change for type in types(field) for how, change in BY_TYPE.get(type, {}).items()}}
        for how, change in operators.items():
            if not is_equivalent(operation, path, field, how):
                yield requests, f"{name} {how}", broken(bodies, operation, path, change)
        for limit in {"maxLength", "maxItems"} & field.keys():
            cut = each((str, list), lambda value, most=field[limit]: value[:most])
            yield limits, f"{name} is cut to its {limit}", broken(bodies, operation, path, cut)
            refuse = partial(refused_at, operation, path, field[limit])
            yield limits, f"{name} is refused at its {limit}", partial(around(operation), refuse)
        if field.get("minLength"):
            filled = each(str, lambda value: value or "x")
            yield limits, f"{name} may be empty", broken(bodies, operation, path, filled)


def is_equivalent(operation: str, path: Where, field: Json, how: str) -> bool:
    """Return whether a broken field of a body cannot be told from one that is not broken."""
    if (operation.startswith("calendar") and path[0] in UNSEEN) or path[0] == "relations":
        return True
    # A timestamp, an identifier or a value of an enumeration has no blanks, long texts or letters of other alphabets.
    fixed = "enum" in field or "format" in field or "x-sdk" in field or path[-1] in {"calendarId", "typeSlug"}
    # Without it the body is as invalid as with an empty text.
    empty = how == "is ignored if falsy" and bool(field.get("minLength"))
    return empty or (fixed and how in FREE_TEXT)


def refused_at(operation: str, path: Where, most: int, perform: Perform, call: Call) -> Any:
    """Refuse a field that is at its limit."""

    def check(owner: Json, key: str) -> None:
        if isinstance(owner[key], str | list) and len(owner[key]) >= most:
            changes.append(operation)
            raise Refusal(422, "The body is invalid.", "invalid")

    at(call.body, path, check)
    return perform(call)


def in_queries(operation: str, parameters: list[Json]) -> Iterator[Defect]:
    for name in (parameter["name"] for parameter in map(resolved, parameters) if parameter["in"] == "query"):
        for how, change in (("is ignored", lost), ("is the first one forever", first_forever())):
            yield requests, f"query {name} {how}", broken(queries, operation, (name,), change)


def cached(*key: str) -> Callable[[Perform, Call], Any]:
    """Return a cache whose key has only some parts of a call."""
    seen: Json = {}

    def first(perform: Perform, call: Call) -> Any:
        parts = {"user": call.user, "path": call.path, "query": call.query, "body": call.body}
        name = repr([parts[part] for part in key])
        value = perform(call)
        if name in seen and seen[name] != value:
            changes.append(call.operation)
        return deepcopy(seen.setdefault(name, deepcopy(value)))

    return first


def twice(perform: Perform, call: Call) -> Any:
    changes.append(call.operation)
    perform(call)
    return perform(call)


def never(perform: Perform, call: Call) -> Any:
    """Carry out a call on a copy of the world."""
    changes.append(call.operation)
    kept = {"users": call.world.users, "keys": call.world.keys}  # the keys of a cryptography library have no copies
    rest = {name: deepcopy(value) for name, value in vars(call.world).items() if name not in kept}
    return perform(replace(call, world=replace(call.world, **rest)))


def crossed(operation: str) -> None:
    """Let simultaneous requests of an operation get each other's responses."""
    lock, waiting = threading.Lock(), []

    @replies
    def exchange(name: str | None, request: Request, own: Reply) -> Reply:
        if name != operation:
            return own
        mine = {"reply": own, "met": threading.Event()}
        with lock:
            other = waiting.pop() if waiting else None
            if other is None:
                waiting.append(mine)
        if other is not None:
            theirs, other["reply"] = other["reply"], own
            changes.extend([operation] if theirs.body != own.body else [])
            other["met"].set()
            return theirs
        mine["met"].wait(WAIT)
        with lock:
            if mine in waiting:
                waiting.remove(mine)
        return mine["reply"]


STATES: Mapping[str, Callable[[Perform, Call], Any]] = {
    "answers its first response forever": cached(),
    "answers all callers as the first": cached("path", "query", "body"),
    "answers all paths as the first": cached("user", "query", "body"),
    "answers equal requests as the first": cached("user", "path", "query", "body"),
}
WRITES: Mapping[str, Callable[[Perform, Call], Any]] = {"is carried out twice": twice, "is not carried out": never}


def defects(operation: str, method: str, node: Json) -> Iterator[Defect]:
    """Yield all defects of an operation."""
    success = next(value for status, value in node["responses"].items() if str(status).startswith("2"))
    response = success["content"].get("application/json", {}).get("schema", {})
    body = node.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
    yield from in_responses(operation, response, frozenset(path[-1] for path, *_ in fields(body)))
    yield from in_bodies(operation, body)
    yield from in_queries(operation, node.get("parameters", []))
    writes = WRITES if method == "post" else {"is not carried out": never}
    for how, change in (STATES | (writes if node["x-sdk"]["effect"] != "read" else {})).items():
        yield states, how, partial(around(operation), change)
    yield states, "exchanges simultaneous responses", partial(crossed, operation)


for path in CONTRACT["paths"].values():
    for method in METHODS & path.keys():
        node = path[method]
        for kind, name, apply in defects(node["operationId"], method, node):
            kind.add(f"{node['operationId']} {name}", node["x-sdk"]["section"], node["operationId"], apply)
