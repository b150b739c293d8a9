"""Fact files. A fact is behaviour that the specification leaves open; it is observed, never asserted.

A fact file is JSON, described by `facts.schema.json`. The stub accepts it as a profile, the SDK as its capabilities.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from project_platform.version import VERSION
from project_platform_contract.schema import read_json

Seen = Mapping[str, Sequence[Mapping[str, Any]]]
"""All observations by key, each with `value`, `at` and `request_id`."""


def gather(seen: Seen) -> dict[str, list[dict[str, Any]]]:
    """Return the first observation of each value by key, in the order of the keys, with `seen`, the number of them."""
    gathered: dict[str, list[dict[str, Any]]] = {}
    for key in sorted(seen):
        by_value: dict[str, list[Mapping[str, Any]]] = {}
        for observation in sorted(seen[key], key=lambda observation: str(observation["at"])):
            by_value.setdefault(to_json(observation["value"]), []).append(observation)
        gathered[key] = [{**same[0], "seen": len(same)} for _, same in sorted(by_value.items())]
    return gathered


def write(path: Path, target: str, seen: Seen) -> None:
    """Write a fact file about a target, the base URL of a deployment."""
    document = {
        "target": target,
        "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": VERSION,
        "facts": {key: values[0] if len(values) == 1 else values for key, values in gather(seen).items()},
    }
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")


def read(path: Path) -> dict[str, Any]:
    """Return the content of a fact file, with the observations of each fact as a list.

    Raises:
        ValueError: The file cannot be read, or violates `facts.schema.json`.
    """
    document = read_json(path, "facts")
    facts = {key: fact if isinstance(fact, list) else [fact] for key, fact in document["facts"].items()}
    return {**document, "facts": facts}


def to_json(value: Any) -> str:
    """Return a value as JSON with sorted keys, so that equal values give equal strings."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)
