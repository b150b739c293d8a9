"""Broken stubs: each mutation breaks one rule of the specification in one place, and names the rules that must detect it."""

from __future__ import annotations

from . import (  # noqa: F401  # each registers its own
    access,
    agents,
    answered_only,
    bodies,
    calendar,
    calendar_changes,
    calendar_slots,
    calendar_stored,
    calendar_times,
    callers,
    combinations,
    content_types,
    conversions,
    creations,
    idle,
    label_contents,
    labels,
    lists,
    memory_values,
    permissions,
    record_preconditions,
    record_updates,
    record_values,
    records,
    scope,
    sequences,
    settings,
    stored_lists,
    template_reports,
    templates,
    unaffected,
    wire,
    workflows,
)
from .mutation import MUTATIONS, Mutation, patch, stop_self_check

idle.register()  # after all other mutations

__all__ = ["MUTATIONS", "Mutation", "patch", "stop_self_check"]
