"""The floor: rules that an earlier run proved, so that a run that proves fewer fails."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from project_platform_contract.schema import problem_of

from .target import Kind


class FloorError(ValueError):
    """A file that is not a valid floor; the message names the file and the place."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Rules that must be proven.

    Attributes:
        path: The file.
        target: Kind of the target on which the rules were proven.
        proven: Identifiers of the rules.
    """

    path: Path
    target: Kind
    proven: frozenset[str]

    def missing(self, proven: Collection[str]) -> list[str]:
        """Return the rules of the floor that are not among the proven ones."""
        return sorted(self.proven - set(proven))


def read_floor(path: Path) -> Floor:
    """Read a floor file.

    Raises:
        FloorError: The file cannot be read, or violates `floor.schema.json`.
    """
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise FloorError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise FloorError(f"{path}: not valid JSON: {error}") from None
    if problem := problem_of("floor", value):
        raise FloorError(f"{path}: {problem}")
    return Floor(path, value["target"], frozenset(value["proven"]))


def write_floor(path: Path, target: Kind, proven: Iterable[str]) -> None:
    """Write a floor file with one rule per line, so that diffs are readable."""
    path.write_text(json.dumps({"target": target, "proven": sorted(proven)}, indent=2) + "\n", "utf-8")
