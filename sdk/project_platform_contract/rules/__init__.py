"""All rules, by identifier, in the order of the specification."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Final

from project_platform_contract.rule import Rule

from . import agents

_PARTS = (agents.RULES,)

RULES: Final[Mapping[str, Rule]] = MappingProxyType({rule.id: rule for part in _PARTS for rule in part})
