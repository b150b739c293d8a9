"""Services that keep the specification, and differ in one way each where it is silent; none may be said to violate it."""

from . import choices, contents, messages, refusals, sheets  # noqa: F401  # each registers its own
