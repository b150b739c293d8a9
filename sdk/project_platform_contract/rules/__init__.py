"""All rules, by identifier, in the order of the specification."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from types import MappingProxyType
from typing import Final

from . import (
    agents,
    answers,
    auth,
    calendar,
    engagement,
    errors,
    labels,
    memory,
    permissions,
    photo_analytics,
    posts,
    records,
    schema,
    scope,
    sidebar,
    templates,
    web_analytics,
    workflows,
)
from .rule import Rule
from .sections import place_of

_PARTS = (
    scope.RULES,
    answers.RULES,
    permissions.RULES,
    workflows.RULES,
    records.RULES,
    calendar.RULES,
    sidebar.RULES,
    templates.RULES,
    memory.RULES,
    engagement.RULES,
    agents.RULES,
    web_analytics.RULES,
    posts.RULES,
    photo_analytics.RULES,
    labels.RULES,
    auth.RULES,
    errors.RULES,
    schema.RULES,
)


def by_id(rules: Iterable[Rule]) -> dict[str, Rule]:
    """Return rules by their identifiers, in the order of the sections that they cite.

    Raises:
        ValueError: Two have the same identifier, or one cites what is no section.
    """
    found: dict[str, Rule] = {}
    for rule in sorted(rules, key=lambda rule: place_of(rule.section)):
        if rule.id in found:
            raise ValueError(f"there are two rules {rule.id}")
        found[rule.id] = rule
    return found


RULES: Final[Mapping[str, Rule]] = MappingProxyType(by_id(rule for part in _PARTS for rule in part))
