"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .scheduled_post import ScheduledPost


class Posts(Model, frozen=True):
    """Scheduled posts."""

    posts: list[ScheduledPost]
    """The posts."""
