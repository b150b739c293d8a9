"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .object_record import ObjectRecord


class RecordResponse(Model, frozen=True):
    """A response with an object record."""

    record: ObjectRecord
    """A CRM object record."""
