"""Fault plans that people write in a YAML or JSON file, or send to the server.

The format is `faults.schema.json`: the functions of `faults`, with their arguments in camelCase.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any, TypeAlias

from project_platform_stub.documents.document import Document, Problems, read_document
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.http.json import write_json

from . import fault
from .fault import Fault

Plan: TypeAlias = tuple[str, list[Fault]]

_MAKERS: Mapping[str, Callable[..., Fault]] = {
    "status": fault.status,
    "latency": fault.latency,
    "reset": fault.reset,
    "empty": fault.empty,
    "drop_after_apply": fault.drop_after_apply,
    "truncated": fault.truncated,
    "reset_mid_body": fault.reset_mid_body,
    "hang": fault.hang,
    "apply_late": fault.apply_late,
    "garbage_json": fault.garbage_json,
    "html_502": fault.html_502,
}
FAULTS = tuple(_MAKERS)


def load_fault_file(path: str | Path) -> list[Plan]:
    """Return what a YAML or JSON file plans: operations, each with the faults that its requests meet, in order.

    Raises:
        DocumentError: It cannot be read, or is no plan; the text names file, line and place of every problem.
    """
    return _plans(read_document(Path(path)))


def read_faults(value: Any, name: str = "faults") -> list[Plan]:
    """Return what a JSON value plans: `{"plans": [...]}` as in a file, or one plan, `{"operation", "faults"}`.

    Args:
        value: The value.
        name: What to call it in errors.

    Raises:
        DocumentError: It is no plan; the text names the place of every problem.
    """
    return _plans(Document(name, value))


def _plans(document: Document) -> list[Plan]:
    single = isinstance(document.value, Mapping) and "plans" not in document.value and "operation" in document.value
    _schema(single=single).check(document)
    problems = Problems(document)
    plans = []
    for index, item in enumerate([document.value] if single else document.value["plans"]):
        planned = []
        for number, described in enumerate(item["faults"]):
            try:
                planned += [_fault(described)] * int(described.get("times", 1))
            except ValueError as error:
                problems.add((*(() if single else ("plans", index)), "faults", number), str(error))
        plans.append((item["operation"], planned))
    problems.raise_any()
    return plans


def _fault(described: Mapping[str, Any]) -> Fault:
    arguments = {}
    for name, value in described.items():
        if name not in {"fault", "times"}:
            argument, read = _ARGUMENTS.get(name, (name, _as_it_is))
            arguments[argument] = read(value)
    return _MAKERS[described["fault"]](**arguments)


def _as_it_is(value: Any) -> Any:
    return value


def _body(value: Any) -> bytes:
    return value.encode() if isinstance(value, str) else write_json(value)


# Numbers come as Decimal where they have a fraction, and `503.0` is an integer to JSON Schema.
_ARGUMENTS: Mapping[str, tuple[str, Callable[[Any], Any]]] = {
    "status": ("code", int),
    "after": ("after", int),
    "seconds": ("seconds", float),
    "hangs": ("hangs", float),
    "retryAfter": ("retry_after", float),
    "retryAfterForm": ("retry_after_form", _as_it_is),
    "contentType": ("content_type", _as_it_is),
    "body": ("body", _body),
}


@cache
def _schema(*, single: bool) -> Schema:
    schema = packaged_schema("faults/faults.schema.json")
    return Schema({"$ref": "#/$defs/plan", "$defs": schema["$defs"]} if single else schema, {})
