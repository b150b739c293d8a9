"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from typing import Annotated

from ...calls.model import Expected, Model, absent
from ...frames.columns import TIMESTAMP


class BusyInterval(Model, frozen=True):
    """An interval in which the calendar is busy."""

    start: Annotated[Expected[str], TIMESTAMP] = absent()
    """Start of the interval."""
    end: Annotated[Expected[str], TIMESTAMP] = absent()
    """End of the interval."""
