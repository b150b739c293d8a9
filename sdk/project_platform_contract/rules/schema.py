"""Endpoints, Resources: requests that nobody wrote by hand, made up from the types of the contract."""

from __future__ import annotations

from .per_operation import each

RULES = each(
    "schema",
    "Whatever fits the types of {operation} is answered as documented; a body or a limit that does not fit is refused.",
    "{section}; Resources",
)
