"""All rules, by identifier, in the order of the specification; `rules.md` has them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Final, cast

from project_platform_contract.operations import Effect, operations

from .kinds import KINDS, dashed
from .rule import Rule
from .sections import place_of

_TABLE: Final = Path(__file__).with_name("rules.md")
_CELLS: Final = re.compile(r"(?<!\\)\|")
_INFERRED: Final = "inferred: "


def rules_of(table: str) -> Iterator[Rule]:
    """Yield the rules of a Markdown table; a row for a kind of operations stands for a rule for each of them."""
    for line in table.partition("|---|")[2].splitlines()[1:]:
        id, statement, section, of, effect = (cell.strip().replace("\\|", "|") for cell in _CELLS.split(line)[1:-1])
        inferred, section = section.startswith(_INFERRED), section.removeprefix(_INFERRED)
        if of not in KINDS:
            yield Rule(id, statement, section, of or None, cast("Effect", effect), inferred)
            continue
        for known in filter(KINDS[of], operations()):
            names = {"operation": known.id, "section": known.section}
            yield Rule(
                f"{id}.{dashed(known.id)}",
                statement.format(**names),
                section.format(**names),
                known.id,
                known.effect,
                inferred,
            )


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


RULES: Final[Mapping[str, Rule]] = MappingProxyType(by_id(rules_of(_TABLE.read_text("utf-8"))))
