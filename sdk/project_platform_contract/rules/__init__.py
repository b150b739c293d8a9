"""All rules, by identifier, in the order of the specification; `rules.md` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple, cast

from project_platform_contract.operations import Effect, operations

from .kinds import KINDS, dashed
from .rule import Kind, Rule
from .sections import place_of

_TABLES: Final = Path(__file__).with_name("rules.md").read_text("utf-8")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_BREAK: Final = "<br>"
_RULES: Final = "| Rule |"


class Stated(NamedTuple):
    """The statements of the specification about an operation.

    Attributes:
        response: The sentence about its success response.
        left_open: Points that the specification leaves open, so that no rule may be violated by it.
    """

    response: str
    left_open: str


def _rows(table: str) -> Iterator[list[str]]:
    """Yield the cells of each row of a Markdown table, without its head."""
    for line in table.partition("|---|")[2].splitlines()[1:]:
        yield [cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1]]


STATED: Final[Mapping[str, Stated]] = MappingProxyType(
    {operation: Stated(*cells) for operation, *cells in _rows(_TABLES.partition(_RULES)[0].rstrip())}
)
"""By operationId."""


def rules_of(table: str) -> Iterator[Rule]:
    """Yield the rules of a Markdown table; a row for a kind of operations stands for a rule for each of them."""
    for id, statement, sentence, place, of, effect in _rows(table):
        name, _, section = place.rpartition(": ")
        kind = cast("Kind", name or "stated")
        if of not in KINDS:
            yield Rule(id, statement, _sentences(sentence), section, of or None, cast("Effect", effect), kind)
            continue
        for known in filter(KINDS[of], operations()):
            names = {"operation": known.id, "section": known.section}
            yield Rule(
                f"{id}.{dashed(known.id)}",
                statement.format(**names),
                _sentences(STATED[known.id].response if sentence == "{response}" else sentence),
                section.format(**names),
                known.id,
                known.effect,
                kind,
            )


def _sentences(cell: str) -> tuple[str, ...]:
    return tuple(filter(None, cell.split(_BREAK)))


def by_id(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Return rules by identifier, in the order of the sections that they cite.

    Raises:
        ValueError: Two rules have the same identifier, or one cites an unknown section.
    """
    found: dict[str, Rule] = {}
    for rule in sorted(rules, key=lambda rule: place_of(rule.section)):
        if rule.id in found:
            raise ValueError(f"duplicate rule {rule.id}")
        found[rule.id] = rule
    return found


RULES: Final[Mapping[str, Rule]] = MappingProxyType(by_id(rules_of(_TABLES[_TABLES.index(_RULES) :])))
