"""The switches of inferred rules, which a data file sets by patterns of identifiers, such as `*.body-types`."""

from __future__ import annotations

from collections.abc import Mapping
from fnmatch import fnmatchcase

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


def _setting(id: str, switches: Mapping[str, bool]) -> bool | None:
    return next((switches[pattern] for pattern in reversed(list(switches)) if fnmatchcase(id, pattern)), None)
