"""The floor: rules that were proven once, so that proving fewer is noticed."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from pathlib import Path

from project_platform_contract.schema import problem_of

from .target import Kind


class FloorError(ValueError):
    """A file that is no floor; the message names it."""


@dataclass(frozen=True, slots=True)
class Floor:
    """Rules that must be proven.

    Attributes:
        path: Where they are from.
        target: Kind of the target that they were proven on.
        proven: Their identifiers.
    """

    path: Path
    target: Kind
    proven: frozenset[str]

    def missing(self, proven: Collection[str]) -> list[str]:
        """Return the rules that were proven and are not any more."""
        return sorted(self.proven - set(proven))


def read_floor(path: Path) -> Floor:
    """Return the floor of a file.

    Raises:
        FloorError: It cannot be read, or does not fit `floor.schema.json`.
    """
    try:
        value = json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise FloorError(f"{path}: {error.strerror or error}") from None
    except ValueError as error:
        raise FloorError(f"{path}: is no JSON: {error}") from None
    if problem := problem_of("floor", value):
        raise FloorError(f"{path}: {problem}")
    return Floor(path, value["target"], frozenset(value["proven"]))


def write_floor(path: Path, target: Kind, proven: Iterable[str]) -> None:
    """Write a floor, a line for each rule, so that a change reads well."""
    path.write_text(json.dumps({"target": target, "proven": sorted(proven)}, indent=2) + "\n", "utf-8")
