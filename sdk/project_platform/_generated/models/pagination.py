"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class Pagination(Model, frozen=True):
    """Where a page stands in its list."""

    limit: int | None = None
    """Items on a page at most."""
    offset: int | None = None
    """Items before this page."""
    has_more: bool | None = None
    """Whether there are items after this page."""
