"""The members of a data file about rules: switches of inferred ones by patterns, such as `*.body-types`, and waivers of expected ones."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase
from typing import Any

from project_platform_contract.rules import RULES


def is_off(id: str, switches: Mapping[str, bool]) -> bool:
    """Return whether an inferred rule is switched off; of several patterns that match, the last one counts."""
    return RULES[id].inferred and _setting(id, switches) is False


def is_apart(id: str, switches: Mapping[str, bool]) -> bool:
    """Return whether a rule is reported apart: it is inferred, and the data file does not state that it holds."""
    return RULES[id].inferred and _setting(id, switches) is not True


def unmatched(switches: Mapping[str, bool]) -> list[str]:
    """Return the patterns that match no inferred rule."""
    inferred = [id for id, rule in RULES.items() if rule.inferred]
    return [pattern for pattern in switches if not any(fnmatchcase(id, pattern) for id in inferred)]


def waiver_problem(id: str, reason: Any) -> str | None:
    """Return why a rule cannot be waived with a reason; None if it can."""
    rule = RULES.get(id)
    if rule is None:
        return "there is no such rule; the report lists them"
    if rule.kind == "stated":
        return f"the specification states this rule, so it cannot be waived: {' '.join(rule.sentences)}"
    if rule.kind == "inferred":
        return "an inferred rule counts only if the member 'inferred' says so"
    return None if isinstance(reason, str) and reason.strip() else "the reason is missing"


def _setting(id: str, switches: Mapping[str, bool]) -> bool | None:
    return next((switches[pattern] for pattern in reversed(list(switches)) if fnmatchcase(id, pattern)), None)
