"""Endpoints 13: read the web-analytics configuration."""

from __future__ import annotations

from . import Call, Result, operation


@operation("web_analytics_get_config")
def get_config(call: Call) -> Result:
    """Return the configuration; it is null while web analytics is not configured."""
    return Result({"config": call.project.web_analytics})
