"""Files of facts, which runs of the contract suite write: what a deployment does where the specification is silent.

The format is `facts.schema.json`, the same as the suite's. The stub takes from it what it can do as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from project_platform_stub.documents.document import Document, Problems
from project_platform_stub.documents.schema import Schema, packaged_schema
from project_platform_stub.http.json import write_json


def is_fact_file(document: Document) -> bool:
    """Return whether a document has facts; no switch has that name."""
    return isinstance(document.value, Mapping) and "facts" in document.value


def settled_facts(document: Document, wanted: Callable[[str], bool]) -> dict[str, Any]:
    """Return the values of facts, by key.

    Args:
        document: A file of facts.
        wanted: Whether the fact of a key is needed; it has to have one value.

    Raises:
        DocumentError: The file does not fit its schema, or a fact that is needed was seen with different values.
    """
    _schema().check(document)
    problems = Problems(document)
    settled = {}
    for key, fact in document.value["facts"].items():
        seen = [each["value"] for each in (fact if isinstance(fact, list) else [fact])]
        values = sorted({write_json(value).decode() for value in seen})
        if wanted(key) and len(values) > 1:
            problems.add(("facts", key), f"was seen as {' and as '.join(values)}; keep one, or leave the fact out")
        settled[key] = seen[0]
    problems.raise_any()
    return settled


@cache
def _schema() -> Schema:
    return Schema(packaged_schema("profile/facts.schema.json"), {})
