"""Endpoints 13: read the web-analytics configuration."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.web-analytics-config.types",
        "The fields of a web-analytics configuration have the documented types.",
        "Resources, Web analytics configuration",
        "web_analytics_get_config",
        "read",
    ),
    Rule(
        "web-analytics.config.configured",
        "If web analytics is configured, the response contains the configuration of the project.",
        "Endpoints 13, response",
        "web_analytics_get_config",
        "read",
    ),
    Rule(
        "web-analytics.config.null",
        "If web analytics is not configured, the member config is present and null.",
        "Endpoints 13, response",
        "web_analytics_get_config",
        "read",
    ),
)
