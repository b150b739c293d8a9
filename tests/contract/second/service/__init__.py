"""A second implementation of the sixteen operations, written from the specification alone.

It shares no code with the stub server, and differs from it wherever the specification leaves a choice, so that a rule that
holds for both is likely to be one of the specification. The mutants break it.
"""

from . import calendar, labels, listings, permissions, records, settings, social, templates, workflows
from .app import OPERATIONS, Service
from .data_file import data_members
from .world import World, new_world

__all__ = [
    "OPERATIONS",
    "Service",
    "World",
    "calendar",
    "data_members",
    "labels",
    "listings",
    "new_world",
    "permissions",
    "records",
    "settings",
    "social",
    "templates",
    "workflows",
]
