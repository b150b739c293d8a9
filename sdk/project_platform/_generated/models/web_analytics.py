"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime

from ...calls.model import Expected, Model, absent


class WebAnalyticsConfig(Model, frozen=True):
    """The web-analytics configuration of a project."""

    id: Expected[str] = absent()
    """Identifier."""
    project_id: Expected[str] = absent()
    """The project it belongs to."""
    analytics_property_id: str | None = None
    """The web-analytics property."""
    analytics_integration_account_id: str | None = None
    """The integration account of the property."""
    search_site_url: str | None = None
    """The site in the search console."""
    search_integration_account_id: str | None = None
    """The integration account of the site."""
    enabled: Expected[bool] = absent()
    """Whether it is enabled."""
    created_at: Expected[datetime.datetime] = absent()
    """When it was created."""
    updated_at: Expected[datetime.datetime] = absent()
    """When it was last changed."""


class WebAnalyticsResponse(Model, frozen=True):
    """A response with the web-analytics configuration."""

    config: WebAnalyticsConfig | None
    """The configuration; null while web analytics is not configured."""
