"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .busy_interval import BusyInterval


class BusyAnswer(Model, frozen=True):
    """The answer that carries busy intervals."""

    busy: list[BusyInterval]
    """The busy intervals."""
