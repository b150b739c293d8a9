"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated

from ...calls.model import NotNull, RequestModel


class Attendee(RequestModel, frozen=True):
    """The person to invite. A real invitation is sent to the email address."""

    name: Annotated[str | None, NotNull] = None
    """Name."""
    email: Annotated[str | None, NotNull] = None
    """Email address; a real invitation is sent to it."""
    phone: Annotated[str | None, NotNull] = None
    """Telephone number."""
