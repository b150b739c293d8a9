"""Facts: what a run saw where the specification is silent. They are observed, and never asserted.

A file of facts is JSON, described by `facts.schema.json`. The stub takes it as a profile, the SDK as its capabilities.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from project_platform.version import VERSION
from project_platform_contract.schema import problem_of


class FactsError(ValueError):
    """A file is no file of facts; the message names the file and the place."""


@dataclass(frozen=True, slots=True)
class Observation:
    """One value of a fact.

    Attributes:
        value: What was seen: any JSON.
        at: When it was seen first, as an ISO 8601 timestamp.
        request_id: `X-Request-Id` of the answer in which it was seen first; None if there was none.
        seen: How many times it was seen.
    """

    value: Any
    at: str
    request_id: str | None
    seen: int


@dataclass(frozen=True, slots=True)
class Facts:
    """The facts of a deployment.

    Attributes:
        target: Its base URL.
        taken_at: When the file was written, as an ISO 8601 timestamp.
        suite: Version of the suite.
        facts: What was seen, by key; more than one value where not always the same was.
    """

    target: str
    taken_at: str
    suite: str
    facts: Mapping[str, tuple[Observation, ...]]


def gather(seen: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, tuple[Observation, ...]]:
    """Return facts in the order of their keys, with equal values counted.

    Args:
        seen: By key, each time that it was seen: `value`, `at` and `request_id`.
    """
    gathered: dict[str, tuple[Observation, ...]] = {}
    for key in sorted(seen):
        by_value: dict[str, list[Mapping[str, Any]]] = {}
        for each in sorted(seen[key], key=lambda each: str(each["at"])):
            by_value.setdefault(written(each["value"]), []).append(each)
        gathered[key] = tuple(
            Observation(same[0]["value"], same[0]["at"], same[0]["request_id"], len(same))
            for _, same in sorted(by_value.items())
        )
    return gathered


def write(path: Path, target: str, seen: Mapping[str, Sequence[Mapping[str, Any]]]) -> None:
    """Write a file of facts.

    Args:
        path: The file.
        target: Base URL of the deployment.
        seen: By key, each time that it was seen: `value`, `at` and `request_id`.
    """
    facts: dict[str, Any] = {}
    for key, observations in gather(seen).items():
        values = [asdict(observation) for observation in observations]
        facts[key] = values[0] if len(values) == 1 else values
    document = {
        "target": target,
        "taken_at": datetime.now(UTC).isoformat(timespec="seconds"),
        "suite": VERSION,
        "facts": facts,
    }
    path.write_text(json.dumps(document, ensure_ascii=False, indent=2) + "\n", "utf-8")


def read(path: Path) -> Facts:
    """Return the facts of a file.

    Raises:
        FactsError: It cannot be read, or does not fit `facts.schema.json`.
    """
    try:
        document = json.loads(path.read_bytes())
    except OSError as error:
        raise FactsError(f"{path}: cannot be read: {error.strerror or error}") from None
    except (ValueError, RecursionError) as error:
        raise FactsError(f"{path}: is no JSON: {error}") from None
    if problem := problem_of("facts", document):
        raise FactsError(f"{path}: {problem}")
    facts = {
        key: tuple(Observation(**each) for each in (fact if isinstance(fact, list) else [fact]))
        for key, fact in document["facts"].items()
    }
    return Facts(document["target"], document["taken_at"], document["suite"], facts)


def written(value: Any) -> str:
    """Return a value as JSON; equal values are written the same."""
    return json.dumps(value, ensure_ascii=False, sort_keys=True)


@dataclass(frozen=True, slots=True)
class Difference:
    """How the facts of two files differ; when and how often they were seen does not matter.

    Attributes:
        added: Facts that only the second file has, with their values as JSON.
        gone: Facts that only the first file has.
        changed: Facts that both have, with the values of the first and of the second.
        same: How many facts are the same in both.
    """

    added: Mapping[str, str]
    gone: Mapping[str, str]
    changed: Mapping[str, tuple[str, str]]
    same: int

    def __bool__(self) -> bool:
        return bool(self.added or self.gone or self.changed)


def diff(before: Facts, after: Facts) -> Difference:
    """Return how facts differ from those before."""
    old, new = ({key: told(fact) for key, fact in facts.facts.items()} for facts in (before, after))
    both = sorted(old.keys() & new.keys())
    changed = {key: (old[key], new[key]) for key in both if old[key] != new[key]}
    return Difference(
        added={key: new[key] for key in sorted(new.keys() - old.keys())},
        gone={key: old[key] for key in sorted(old.keys() - new.keys())},
        changed=changed,
        same=len(both) - len(changed),
    )


def told(fact: Sequence[Observation]) -> str:
    """Return the values of a fact as JSON, `or` between them."""
    return " or ".join(sorted({written(observation.value) for observation in fact}))
