"""Endpoints 13: read the web-analytics configuration."""

from __future__ import annotations

from . import operation
from .call import Answer, Call


@operation("web_analytics_get_config")
def get_config(call: Call) -> Answer:
    """Return the configuration; it is null while web analytics is not configured."""
    return Answer({"config": call.project.web_analytics})
