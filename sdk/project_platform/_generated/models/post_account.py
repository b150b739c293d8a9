"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


class PostAccount(Model, frozen=True):
    """The account a post is made from."""

    username: Expected[str] = absent()
    """Name of the account."""
    profile_picture_url: str | None = None
    """Address of its picture."""
