"""Services that violate the specification after a history of requests, or if two conditions meet; one of each kind.

No rule was written for one of them, and none may be. Those of `unseen` are broken stub servers.
"""

from . import (  # noqa: F401  # each registers its own
    bookings,
    intervals,
    labels,
    listings,
    permissions,
    records,
    settings,
    shared_state,
    social,
    unseen,
    updates,
    workflows,
)
