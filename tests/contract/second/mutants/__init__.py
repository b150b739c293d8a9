"""Services that violate the specification after a history of requests, or if two conditions meet; one of each kind.

No rule was written for one of them, and none may be. Those of `unseen` are broken stub servers.
"""

from __future__ import annotations

from . import (  # noqa: F401  # each registers its own
    any_order,
    kept_objects,
    labels,
    left_from_before,
    leftovers,
    misread,
    sequences,
    shared_state,
    tokens,
    traces,
    two_conditions,
    unseen,
)
