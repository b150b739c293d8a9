"""Services that violate the specification, by kind; no rule was written for them, and none may be.

Those of the modules `stub_*` are broken stub servers, for what no operation shows.
"""

from __future__ import annotations

from . import (  # noqa: F401  # each registers its own
    agents,
    answers,
    busy,
    combinations,
    conflicts,
    data,
    errors,
    expected_data,
    falsy,
    labels,
    later_requests,
    limits,
    memory,
    particular_values,
    permissions,
    preconditions,
    records,
    references,
    reschedules,
    scope,
    sidebars,
    stub_done,
    stub_events,
    stub_invitations,
    stub_records,
    stub_templates,
    templates,
    times,
    tokens,
    workflows,
)
