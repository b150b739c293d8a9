"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent
from .posts import Posts


class PostsResponse(Model, frozen=True):
    """A response with scheduled posts."""

    data: Posts
    """Scheduled posts."""
    success: Expected[bool] = absent()
    """Whether the call succeeded."""
