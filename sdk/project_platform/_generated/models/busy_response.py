"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .busy_interval import BusyInterval


class BusyResponse(Model, frozen=True):
    """A response with busy intervals."""

    busy: list[BusyInterval]
    """The busy intervals."""
