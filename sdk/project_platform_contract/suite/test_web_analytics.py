"""Endpoints 13: read the web-analytics configuration."""

from __future__ import annotations

import pytest

from project_platform_contract.data.data_file import Data, MissingError
from project_platform_contract.run.api import Api


@pytest.mark.rule("web-analytics.config.configured")
def test_the_configuration_of_the_project_is_returned(api: Api, data: Data) -> None:
    if not data["analytics_configured"]:
        raise MissingError("web analytics is not configured in the project")

    config = api("web_analytics_get_config").json()["config"]

    assert config["id"]
    assert config["projectId"].lower() == api.project.lower()
    assert isinstance(config["enabled"], bool)


@pytest.mark.rule("web-analytics.config.null")
def test_without_a_configuration_config_is_null(api: Api, data: Data) -> None:
    project = data["other_project"] if data["analytics_configured"] else api.project

    response = api("web_analytics_get_config", projectId=project)

    assert response.is_success
    assert response.json() == {**response.json(), "config": None}
