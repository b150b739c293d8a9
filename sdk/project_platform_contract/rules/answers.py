"""Endpoints, Resources: what the success answer of each operation looks like."""

from __future__ import annotations

from .per_operation import each

RULES = each(
    "answers",
    "The success answer of {operation} has the documented shape: its members, and the types of their fields.",
    "{section}, response; Resources",
)
