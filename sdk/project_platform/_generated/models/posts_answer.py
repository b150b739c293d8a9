"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .posts import Posts


class PostsAnswer(Model, frozen=True):
    """The answer that carries scheduled posts."""

    data: Posts
    """Scheduled posts."""
    success: bool | None = None
    """Whether the call succeeded."""
