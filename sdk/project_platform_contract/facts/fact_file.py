"""Fact files. A fact is behaviour that the specification leaves open; it is observed, never asserted.

A fact file is JSON, described by `facts.schema.json`. The stub accepts it as a profile, the SDK as its capabilities.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from project_platform.version import VERSION
from project_platform_contract.schema import read_json


class FactsError(ValueError):
    """A file that is not a valid fact file; the message names the file and the place."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One value of a fact.

    Attributes:
        value: The observed value: any JSON.
        at: Time of the first observation, as an ISO 8601 timestamp.
        request_id: `X-Request-Id` of the response of the first observation; None if it had none.
        seen: Number of observations.
    """

    value: Any
    at: str
    request_id: str | None
    seen: int


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a deployment.

    Attributes:
        target: Base URL of the deployment.
        taken_at: When the file was written, as an ISO 8601 timestamp.
        suite: Version of the suite.
        facts: Observations by key; one for each distinct value.
    """

    target: str
    taken_at: str
    suite: str
    facts: Mapping[str, tuple[Observation, ...]]


def gather(seen: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[dict[str, Any]]]:
    """Return the observations of a report by key, in the order of the keys, with equal values counted.

    Args:
        seen: All observations by key, each with `value`, `at` and `request_id`.
    """
    gathered: dict[str, list[dict[str, Any]]] = {}
    for key in sorted(seen):
        by_value: dict[str, list[Mapping[str, Any]]] = {}
        for observation in sorted(seen[key], key=lambda observation: str(observation["at"])):
            by_value.setdefault(to_json(observation["value"]), []).append(observation)
        gathered[key] = [{**same[0], "seen": len(same)} for _, same in sorted(by_value.items())]
    return gathered


def write(path: Path, target: str, seen: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write a fact file.

    Args:
        path: The file.
        target: Base URL of the deployment.
        seen: All observations by key, each with `value`, `at` and `request_id`.
    """
    document = {
        "target": target,
        "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": VERSION,
        "facts": {key: values[0] if len(values) == 1 else values for key, values in gather(seen).items()},
    }
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")


def read(path: Path) -> Facts:
    """Read a fact file.

    Raises:
        FactsError: The file cannot be read, or violates `facts.schema.json`.
    """
    document = read_json(path, "facts", FactsError)
    facts = {
        key: tuple(Observation(**members) for members in (fact if isinstance(fact, list) else [fact]))
        for key, fact in document["facts"].items()
    }
    return Facts(document["target"], document["taken_at"], document["suite"], facts)


def to_json(value: Any) -> str:
    """Return a value as JSON with sorted keys, so that equal values give equal strings."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Difference:
    """The differences between two fact files; times and numbers of observations are ignored.

    Attributes:
        added: Facts that only the second file has, with their values as JSON.
        gone: Facts that only the first file has.
        changed: Facts with different values in the two files: the values of the first and of the second.
        same: Number of facts that are equal in both files.
    """

    added: Mapping[str, str]
    gone: Mapping[str, str]
    changed: Mapping[str, tuple[str, str]]
    same: int

    def __bool__(self) -> bool:
        return bool(self.added or self.gone or self.changed)


def diff(before: Facts, after: Facts) -> Difference:
    """Return the differences between two fact files."""
    old, new = ({key: format_values(fact) for key, fact in facts.facts.items()} for facts in (before, after))
    both = sorted(old.keys() & new.keys())
    changed = {key: (old[key], new[key]) for key in both if old[key] != new[key]}
    return Difference(
        added={key: new[key] for key in sorted(new.keys() - old.keys())},
        gone={key: old[key] for key in sorted(old.keys() - new.keys())},
        changed=changed,
        same=len(both) - len(changed),
    )


def format_values(fact: Sequence[Observation]) -> str:
    """Return the values of a fact as JSON, joined with `or`."""
    return " or ".join(sorted({to_json(observation.value) for observation in fact}))
