"""Object records that a test creates and changes.

No operation reads a record, so `read` sends an update that does not change its data.
"""

from __future__ import annotations

import secrets
from typing import Any

import httpx

from project_platform_contract.data.data_file import MissingError
from project_platform_contract.run.api import Api
from project_platform_contract.run.contract_run import Run
from project_platform_contract.schema import fields_of

from .preconditions import accepted


class Records:
    """Records of one test; they remain after it.

    Args:
        api: The `Api` that creates and updates.
        run: The run that the test belongs to.
        project: Identifier of the project of the records; by default, that of the run.
    """

    def __init__(self, api: Api, run: Run, project: str | None = None) -> None:
        self._api = api
        self._run = run
        self._path: dict[str, Any] = {} if project is None else {"projectId": project}

    def post(self, **body: Any) -> httpx.Response:
        """Create a record, by default of a type that is not person-linked, and return the response."""
        if "typeSlug" not in body:
            body["typeSlug"] = self._run.data["object_type"]
        return self._api("records_create", json=body, **self._path)

    def create(self, data: dict[str, Any] | None = None, **body: Any) -> dict[str, Any]:
        """Create a record with the data and the run's tag as its title, and return the record."""
        return record_of(accepted(self.post(data={"title": self._run.tag, **(data or {})}, **body)))

    def linked(self, data: dict[str, Any], **body: Any) -> dict[str, Any]:
        """Create a record of a person-linked type, and return the record."""
        return self.create(data, typeSlug=self._run.data["linked_object_type"], **body)

    def update(self, record: dict[str, Any], **body: Any) -> httpx.Response:
        """Update a record, and return the response."""
        return self._api("records_update", recordId=record["id"], json=body, **self._path)

    def read(self, record: dict[str, Any]) -> dict[str, Any]:
        """Return the current record."""
        return record_of(accepted(self.update(record, relations={})))

    def person(self, record: dict[str, Any]) -> str:
        """Return the person of a record that has an email address in its data.

        Raises:
            MissingError: No record with an email address has a person, so the identity may be another member of the data: which
                one it is, the specification does not say. That of a stub is the address.
        """
        person = record.get("personRefId")
        if not person and self._run.target.stub is None and not self._is_identified_by_email():
            raise MissingError("no record of 'linked_object_type' with an email address has a personRefId")
        assert isinstance(person, str)
        assert person
        return person

    def _is_identified_by_email(self) -> bool:
        """Return whether any of some records with an email address has a person, when it is created or later."""
        email = self.email()
        created = [self.linked(data) for data in ({"email": email}, {"name": "Contract Person", "email": email})]
        return any(record.get("personRefId") for record in (*created, *map(self.read, created)))

    def email(self) -> str:
        """Return a new email address. It is data of a record; nothing is sent to it."""
        return f"{self._run.tag}-{secrets.token_hex(4)}@example.com"


def status_of(record: dict[str, Any]) -> str:
    """Return the status of a record.

    Raises:
        MissingError: It has none.
    """
    status = record.get("status")
    if not isinstance(status, str):
        raise MissingError("a new record of 'object_type' has no status")
    return status


def record_of(response: httpx.Response) -> dict[str, Any]:
    """Return the record in a response."""
    record: dict[str, Any] = response.json()["record"]
    return record


def lasting(record: dict[str, Any]) -> dict[str, Any]:
    """Return the fields of the specification, without those that reading the record, which is an update, may change.

    The specification does not say how the status moves. A field that is null is as good as missing.
    """
    names = {*fields_of("ObjectRecord")} - {"updatedAt", "updatedBy", "status"}
    return {name: value for name, value in record.items() if name in names and value is not None}
