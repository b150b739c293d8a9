"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


class Pagination(Model, frozen=True):
    """Where a page stands in its list."""

    limit: Expected[int] = absent()
    """Items on a page at most."""
    offset: Expected[int] = absent()
    """Items before this page."""
    has_more: Expected[bool] = absent()
    """Whether there are items after this page."""
