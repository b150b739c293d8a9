"""Fact files, which the contract suite writes: the behaviour of a deployment where the specification is silent.

The format is `facts.schema.json`, the same as the suite's. A profile adopts the facts that it has a switch for.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from project_platform_stub.documents.document import Document, Problems
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.http.messages import write_json


def is_fact_file(document: Document) -> bool:
    """Return whether a document is a fact file; no switch is called `facts`."""
    return isinstance(document.value, Mapping) and "facts" in document.value


def fact_values(document: Document, needed: Callable[[str], bool]) -> dict[str, Any]:
    """Return the values of facts, by key.

    Args:
        document: A fact file.
        needed: Whether the fact with this key must have a single value.

    Raises:
        DocumentError: The file does not fit its schema, or a needed fact was observed with different values.
    """
    _schema().check(document)
    problems = Problems(document)
    values = {}
    for key, fact in document.value["facts"].items():
        observed = [observation["value"] for observation in (fact if isinstance(fact, list) else [fact])]
        distinct = sorted({write_json(value).decode() for value in observed})
        if needed(key) and len(distinct) > 1:
            problems.add(
                ("facts", key), f"has different values, {' and '.join(distinct)}; keep one, or remove the fact"
            )
        values[key] = observed[0]
    problems.raise_any()
    return values


@cache
def _schema() -> Schema:
    return Schema(packaged_schema("profile/facts.schema.json"), {})
