"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import RequestModel
from .sidebar_section import SidebarSection


class ReplaceSidebarBody(RequestModel, frozen=True):
    """The sections that replace the sidebar."""

    sections: list[SidebarSection]
    """All sections, in order."""
