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
    identities,
    labels,
    later_events,
    later_requests,
    limits,
    memory,
    pages,
    particular_data,
    particular_values,
    permissions,
    preconditions,
    records,
    references,
    refusals,
    reports_and_sheets,
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
    unusual_requests,
    workflows,
)
