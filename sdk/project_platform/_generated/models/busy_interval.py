"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Expected, Model, absent


class BusyInterval(Model, frozen=True):
    """An interval in which the calendar is busy."""

    start: Expected[str] = absent()
    """Start of the interval."""
    end: Expected[str] = absent()
    """End of the interval."""
