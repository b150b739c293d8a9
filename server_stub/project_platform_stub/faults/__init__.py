"""Faults between a client and the service; each function returns a `Fault` to plan."""

from __future__ import annotations

from .fault import (
    Fault,
    apply_late,
    drop_after_apply,
    empty,
    flaky,
    garbage_json,
    hang,
    html_502,
    latency,
    reset,
    reset_mid_body,
    status,
    truncated,
)

__all__ = [
    "Fault",
    "apply_late",
    "drop_after_apply",
    "empty",
    "flaky",
    "garbage_json",
    "hang",
    "html_502",
    "latency",
    "reset",
    "reset_mid_body",
    "status",
    "truncated",
]
