"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model


class BusyInterval(Model, frozen=True):
    """A stretch of time in which the calendar is busy."""

    start: str | None = None
    """Start of the interval."""
    end: str | None = None
    """End of the interval."""
