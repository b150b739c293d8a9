"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from ...calls.model import Model
from .web_analytics_config import WebAnalyticsConfig


class WebAnalyticsResponse(Model, frozen=True):
    """A response with the web-analytics configuration."""

    config: WebAnalyticsConfig | None
    """The configuration; null while web analytics is not configured."""
