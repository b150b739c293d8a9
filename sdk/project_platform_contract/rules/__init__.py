"""All rules, by identifier, in the order of the specification."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from importlib import import_module
from pkgutil import iter_modules
from types import MappingProxyType
from typing import Final

from .rule import Rule
from .sections import place_of


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


def _all_rules() -> Iterator[Rule]:
    """Yield the rules of all modules of this package, from their `RULES`."""
    for module in iter_modules(__path__):
        yield from getattr(import_module(f"{__name__}.{module.name}"), "RULES", ())


RULES: Final[Mapping[str, Rule]] = MappingProxyType(by_id(_all_rules()))
