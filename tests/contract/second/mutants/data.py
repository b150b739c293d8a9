"""Free-form data that is not stored as it was sent."""

from __future__ import annotations

import html
import re
import struct
import unicodedata
from collections.abc import Callable
from typing import Any
from urllib.parse import unquote

from ..mutant import Json, Kind, arrays, dropping, members, numbers, patch, texts
from ..service import records, settings, workflows

free_form = Kind("free-form data")

DATA = "| data | object | free-form JSON keyed by field |"
METADATA = "`metadata` (object)"
TEXTS = "Body: `title`, `description`, `content` (strings), `metadata` (object)."
CONDITION = "`triggerCondition` (any)"
ACTIONS = "`actions` (array)"

Change = Callable[[Any], Any]


def record(name: str, change: Change) -> None:
    """Register a mutant that changes the data of new and updated records."""
    free_form.add(name, "records_create", DATA, lambda: patch(records, "stored", change))


def rounded(value: float) -> float:
    """Return a number with the precision of 32 bits."""
    return float(struct.unpack("f", struct.pack("f", value))[0]) if abs(value) < 1e38 else value


def typed(text: str) -> Any:
    """Return the number or boolean that a text looks like."""
    if re.fullmatch(r"-?[0-9]+", text):
        return int(text)
    return {"true": True, "false": False}.get(text, text)


def snake(key: str) -> str:
    """Return a key in snake case."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", key).lower()


def renamed(rename: Callable[[str], str]) -> Change:
    """Return a function that renames the keys of all objects."""
    return members(lambda part: {rename(key): value for key, value in part.items()})


def split_dots(part: Json) -> Json:
    """Return an object whose keys with dots are paths."""
    result: Json = {}
    for key, value in part.items():
        *path, last = key.split(".")
        node = result
        for step in path:
            node = node.setdefault(step, {})
            if not isinstance(node, dict):
                return part
        node[last] = value
    return result


def cut_below(value: Any, depth: int) -> Any:
    """Return a value whose objects and arrays below a depth are null."""
    if isinstance(value, dict):
        return {key: cut_below(part, depth - 1) for key, part in value.items()} if depth else None
    if isinstance(value, list):
        return [cut_below(part, depth - 1) for part in value] if depth else None
    return value


def unique(items: list[Any]) -> list[Any]:
    """Return the items, each once."""
    return [item for place, item in enumerate(items) if item not in items[:place]]


def flat(items: list[Any]) -> list[Any]:
    """Return the items, with those of inner arrays in their place."""
    return [part for item in items for part in (item if isinstance(item, list) else [item])]


def nested_only(change: Change) -> Change:
    """Return a function that changes what is below the first level."""
    return lambda data: {key: change(value) if isinstance(value, dict | list) else value for key, value in data.items()}


record("texts are trimmed", texts(str.strip))
record("texts are composed", texts(lambda text: unicodedata.normalize("NFC", text)))
record("texts are normalised for compatibility", texts(lambda text: unicodedata.normalize("NFKC", text)))
record("texts are cut after 255 characters", texts(lambda text: text[:255]))
record("texts are cut after 4000 characters", texts(lambda text: text[:4000]))
record("texts are escaped for HTML", texts(html.escape))
record("tags are removed from texts", texts(lambda text: re.sub(r"<[^>]*>", "", text)))
record("line ends are normalised", texts(lambda text: text.replace("\r\n", "\n").replace("\r", "\n")))
record("backslashes are removed", texts(lambda text: text.replace("\\", "")))
record("percent signs are decoded", texts(unquote))
record("zero-width characters are removed", texts(lambda text: re.sub("[\u200b-\u200d\ufeff]", "", text)))
record("texts that look like numbers and booleans are typed", texts(typed))
record(
    "dates get a time", texts(lambda text: f"{text}T00:00:00.000Z" if re.fullmatch(r"\d{4}-\d\d-\d\d", text) else text)
)
record("timestamps lose their fractions of seconds", texts(lambda text: re.sub(r"(T\d\d:\d\d:\d\d)\.\d+", r"\1", text)))
record("empty texts are dropped", dropping(lambda value: value == ""))
record("empty objects are dropped", dropping(lambda value: value == {}))
record("empty arrays are dropped", dropping(lambda value: value == []))
record("zero is dropped", dropping(lambda value: value == 0 and not isinstance(value, bool)))
record("false is dropped", dropping(lambda value: value is False))
record("nulls in arrays are dropped", arrays(lambda items: [item for item in items if item is not None]))
record("falsy elements of arrays are dropped", arrays(lambda items: [item for item in items if item]))
record(
    "arrays are sorted", arrays(lambda items: sorted(items) if all(isinstance(item, str) for item in items) else items)
)
record("arrays are sets", arrays(unique))
record("inner arrays are flattened", arrays(flat))
record("arrays of one element are unwrapped", arrays(lambda items: items[0] if len(items) == 1 else items))
record("numbers have two decimals", numbers(lambda value: round(value, 2)))
record("numbers have the precision of 32 bits", numbers(rounded))
record(
    "whole numbers are at most 32 bits",
    numbers(lambda value: max(-(2**31), min(2**31 - 1, value)) if isinstance(value, int) else value),
)
record("negative numbers are positive", numbers(abs))
record("keys are in lower case", renamed(str.lower))
record("keys are in snake case", renamed(snake))
record("keys are trimmed", renamed(str.strip))
record("keys with dots are paths", members(split_dots))
record("keys have at most 64 characters", renamed(lambda key: key[:64]))
record(
    "keys with a dollar sign are dropped",
    members(lambda part: {key: value for key, value in part.items() if not key.startswith("$")}),
)
record(
    "keys of prototypes are dropped",
    members(
        lambda part: {key: value for key, value in part.items() if key not in {"__proto__", "constructor", "prototype"}}
    ),
)
record("objects have at most 20 keys", members(lambda part: dict(list(part.items())[:20])))
record("data is five levels deep", lambda data: cut_below(data, 5))
record("data is twelve levels deep", lambda data: cut_below(data, 12))
record("texts below the first level are trimmed", nested_only(texts(str.strip)))


def updated(name: str, change: Change) -> None:
    """Register a mutant that changes the data of updates only."""

    def apply() -> None:
        change_record = records.apply_changes

        def changed(call: Any, record: Json, body: Json) -> None:
            change_record(call, record, {**body, "data": change(body["data"])} if "data" in body else body)

        patch(records, "apply_changes", changed)

    free_form.add(name, "records_update", DATA, apply)


updated("texts of an update are trimmed", texts(str.strip))
updated("texts of an update are cut after 100 characters", texts(lambda text: text[:100]))
updated("empty texts of an update are dropped", dropping(lambda value: value == ""))
updated("numbers of an update are whole", numbers(int))
updated("keys of an update are in lower case", renamed(str.lower))
updated("arrays of an update are sets", arrays(unique))
updated("arrays of an update are texts", arrays(lambda items: ",".join(map(str, items))))


def memory(name: str, sentence: str, change: Callable[[Json], Json]) -> None:
    """Register a mutant that changes what an entry is changed to."""

    def apply() -> None:
        change_entry = settings.change
        patch(settings, "change", lambda entry, body: change_entry(entry, change(body)))

    free_form.add(name, "memory_update", sentence, apply)


def of(field: str, change: Change) -> Callable[[Json], Json]:
    """Return a function that changes one member of a body."""
    return lambda body: {**body, field: change(body[field])} if field in body else body


memory("the content of an entry is trimmed", TEXTS, of("content", str.strip))
memory("the content of an entry is cut after 1000 characters", TEXTS, of("content", lambda text: text[:1000]))
memory("the content of an entry is escaped", TEXTS, of("content", html.escape))
memory("the title of an entry is cut after 50 characters", TEXTS, of("title", lambda text: text[:50]))
memory("the title of an entry is capitalised", TEXTS, of("title", str.title))
memory("numbers in metadata are texts", METADATA, of("metadata", numbers(str)))
memory("metadata is one level deep", METADATA, of("metadata", lambda value: cut_below(value, 1)))
memory("falsy values of metadata are dropped", METADATA, of("metadata", dropping(lambda value: not value)))


def workflow(name: str, sentence: str, change: Callable[[Json], Json]) -> None:
    """Register a mutant that changes the body of a new workflow after it was checked."""

    def apply() -> None:
        checked = workflows.checked
        patch(workflows, "checked", lambda *arguments, **checks: change(checked(*arguments, **checks)))

    free_form.add(name, "workflows_create", sentence, apply)


workflow(
    "a trigger condition that is a text is parsed",
    CONDITION,
    of("triggerCondition", lambda value: typed(value) if isinstance(value, str) else value),
)
workflow(
    "a trigger condition is always an object",
    CONDITION,
    of("triggerCondition", lambda value: value if isinstance(value, dict) else {"value": value}),
)
workflow("texts of a trigger condition are trimmed", CONDITION, of("triggerCondition", texts(str.strip)))
workflow(
    "a trigger condition is three levels deep", CONDITION, of("triggerCondition", lambda value: cut_below(value, 3))
)
workflow("only the first action of a workflow is stored", ACTIONS, of("actions", lambda items: items[:1]))
workflow("actions of a workflow are in reverse order", ACTIONS, of("actions", lambda items: items[::-1]))
workflow(
    "actions of a workflow that are not objects are dropped",
    ACTIONS,
    of("actions", lambda items: [item for item in items if isinstance(item, dict)]),
)
workflow("equal actions of a workflow are stored once", ACTIONS, of("actions", unique))
