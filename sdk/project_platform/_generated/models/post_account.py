"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class PostAccount(Model, frozen=True):
    """The account a post is made from."""

    username: str | None = None
    """Name of the account."""
    profile_picture_url: str | None = None
    """Address of its picture."""
