"""Object records that a test creates and changes.

No operation reads a record, so it is read by an update that leaves its data alone.
"""

from __future__ import annotations

import secrets
from typing import Any

import httpx

from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run


class Records:
    """Records of one test; they stay after the run.

    Args:
        api: Calls.
        run: The run that the test belongs to.
    """

    def __init__(self, api: Api, run: Run) -> None:
        self._api = api
        self._run = run

    def post(self, **body: Any) -> httpx.Response:
        """Return the answer to a creation, of a type that does not link to persons if the body names no other."""
        if "typeSlug" not in body:
            body["typeSlug"] = self._run.data["object_type"]
        return self._api("records_create", json=body)

    def create(self, data: dict[str, Any] | None = None, **body: Any) -> dict[str, Any]:
        """Return a new record that has, beside the data that is given, the run's tag as its title."""
        response = self.post(data={"title": self._run.tag, **(data or {})}, **body)
        assert response.is_success, f"no record could be created: {response.status_code}"
        return record_of(response)

    def linked(self, data: dict[str, Any], **body: Any) -> dict[str, Any]:
        """Return a new record of a type that links to persons."""
        return self.create(data, typeSlug=self._run.data["linked_object_type"], **body)

    def update(self, record: dict[str, Any], **body: Any) -> httpx.Response:
        """Return the answer to an update of a record."""
        return self._api("records_update", recordId=record["id"], json=body)

    def read(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return a record as it is now."""
        response = self.update(record, relations={})
        assert response.is_success, f"the record could not be read: {response.status_code}"
        return record_of(response)

    def email(self) -> str:
        """Return an address that nobody has; it is data, and nothing is sent to it."""
        return f"{self._run.tag}-{secrets.token_hex(4)}@example.com"


def record_of(response: httpx.Response) -> dict[str, Any]:
    """Return the record of an answer."""
    record: dict[str, Any] = response.json()["record"]
    return record


def lasting(record: dict[str, Any]) -> dict[str, Any]:
    """Return what reading a record does not change of it."""
    return {key: value for key, value in record.items() if key not in {"updatedAt", "updatedBy"}}
