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
    Rule(
        "web-analytics.config.as-stored",
        "The configuration has the stored values, also if it is not enabled.",
        "Endpoints 13, response; Resources, Web analytics configuration",
        "web_analytics_get_config",
        "read",
    ),
    Rule(
        "web-analytics.config.every-caller",
        "The configuration is the same for every caller who may read it.",
        "Endpoints 13, response",
        "web_analytics_get_config",
        "read",
    ),
)
