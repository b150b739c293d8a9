"""Workflows that a test creates. They remain after it.

They are not active, or have no actions. The actions of the others have types that no service knows.
"""

from __future__ import annotations

from typing import Any

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api

from .reading import refused
from .valid_requests import ValidRequests


class Workflows:
    """Workflows of a test. Their name or description has the run's tag; by default they are not active and have no actions."""

    def __init__(self, api: Api, valid_requests: ValidRequests) -> None:
        self._api = api
        self._fitting = valid_requests

    def post(self, **fields: Any) -> httpx.Response:
        """Create a workflow, and return the response. If a name is given, the run's tag is the description."""
        named = {} if "name" not in fields or "description" in fields else {"description": self._fitting.tag}
        return self._api("workflows_create", json={**self._fitting.workflow(), **named, **fields})

    def create(self, **fields: Any) -> dict[str, Any]:
        """Create a workflow, and return it."""
        response = self.post(**fields)
        assert response.is_success, f"no workflow was created: {response.status_code}"
        workflow: dict[str, Any] = response.json()["workflow"]
        return workflow

    def accepts(self, field: str, text: str) -> bool:
        """Return whether a text is accepted for a field.

        Raises:
            MissingError: The deployment accepts only texts that it knows, so a refusal does not prove a limit.
        """
        if self.post(**{field: text}).is_success:
            return True
        if field.startswith("trigger") and refused(self.post(**{field: "contract-unknown"})):
            raise MissingError(f"the deployment accepts only a {field} that it knows")
        return False
