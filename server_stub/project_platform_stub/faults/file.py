"""Fault plans in a YAML or JSON file, or in the body of an admin request.

The format is `faults.schema.json`: the functions of `faults`, with their arguments in camelCase.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from pydantic.alias_generators import to_snake

from project_platform_stub import faults
from project_platform_stub.documents.document import Document, Problems, plain, read_document
from project_platform_stub.documents.schema import compiled_schema
from project_platform_stub.http.messages import write_json

Plan: TypeAlias = tuple[str, list[faults.Fault]]

FAULTS = (
    *("status", "latency", "reset", "empty", "drop_after_apply", "truncated", "reset_mid_body", "hang", "apply_late"),
    *("garbage_json", "html_502"),
)


def load_fault_file(path: str | Path) -> list[Plan]:
    """Return the plans of a YAML or JSON file: operations, each with the faults that its requests meet, in order.

    Raises:
        DocumentError: The file cannot be read or is not valid; the message lists file, line and place of every problem.
    """
    return _plans(read_document(Path(path)))


def read_faults(value: Any, name: str = "faults") -> list[Plan]:
    """Return the plans of a JSON value: `{"plans": [...]}` as in a file, or one plan, `{"operation", "faults"}`.

    Raises:
        DocumentError: The value is not valid; the message lists the place of every problem.
    """
    return _plans(Document(name, value))


def _plans(document: Document) -> list[Plan]:
    single = isinstance(document.value, Mapping) and "plans" not in document.value and "operation" in document.value
    compiled_schema("faults/faults.schema.json", "plan" if single else None).check(document)
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


def _fault(described: Mapping[str, Any]) -> faults.Fault:
    values = {name: plain(value) for name, value in described.items() if name not in {"fault", "times", "body"}}
    arguments = {"code" if name == "status" else to_snake(name): value for name, value in values.items()}
    if "body" in described:
        body = described["body"]
        arguments["body"] = body.encode() if isinstance(body, str) else write_json(body)
    function: Callable[..., faults.Fault] = getattr(faults, described["fault"])
    return function(**arguments)
