"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

import datetime

from ...calls.model import Model


class WebAnalyticsConfig(Model, frozen=True):
    """The web-analytics configuration of a project."""

    id: str | None = None
    """Identifier."""
    project_id: str | None = None
    """The project it belongs to."""
    analytics_property_id: str | None = None
    """The web-analytics property."""
    analytics_integration_account_id: str | None = None
    """The integration account of the property."""
    search_site_url: str | None = None
    """The site in the search console."""
    search_integration_account_id: str | None = None
    """The integration account of the site."""
    enabled: bool | None = None
    """Whether it is enabled."""
    created_at: datetime.datetime | None = None
    """When it was created."""
    updated_at: datetime.datetime | None = None
    """When it was last changed."""
