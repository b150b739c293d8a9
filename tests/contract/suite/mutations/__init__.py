"""Broken stubs: each mutation breaks one rule of the specification in one place, and names the rules that must detect it."""

from __future__ import annotations

from . import (  # noqa: F401  # each registers its own
    access,
    bodies,
    calendar,
    calendar_changes,
    idle,
    labels,
    lists,
    record_updates,
    records,
    scope,
    settings,
    templates,
    wire,
    workflows,
)
from .mutation import MUTATIONS, Mutation, patch, stop_self_check

idle.register()  # after all other mutations

__all__ = ["MUTATIONS", "Mutation", "patch", "stop_self_check"]
