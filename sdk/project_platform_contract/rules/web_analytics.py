"""Endpoints 13: read the web-analytics configuration."""

from __future__ import annotations

from .rule import Rule

RULES = (
    Rule(
        "fields.web-analytics-config.types",
        "The fields of a web-analytics configuration are of the types that are stated.",
        "Resources, Web analytics configuration",
        "web_analytics_get_config",
        "read",
    ),
    Rule(
        "web-analytics.config.configured",
        "Where web analytics is configured, the configuration of that project is answered.",
        "Endpoints 13, response",
        "web_analytics_get_config",
        "read",
    ),
    Rule(
        "web-analytics.config.null",
        "Where web analytics is not configured, the configuration is there and is null.",
        "Endpoints 13, response",
        "web_analytics_get_config",
        "read",
    ),
)
