"""Generated from openapi.yaml by `python -m codegen`. Do not edit."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any
from uuid import UUID

from ...calls.operation import UNSET, Unset
from ...calls.resource import AsyncResource, Resource
from ..models.records import ObjectRecord
from ..operations import records_create, records_update

if TYPE_CHECKING:
    from ...calls.configuration import Options


class RecordsResource(Resource):
    """The `records` of a project."""

    def create(
        self,
        *,
        type_slug: str,
        data: Mapping[str, Any] | Unset = UNSET,
        external_id: str | UUID | Unset = UNSET,
        relations: Mapping[str, Any] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> ObjectRecord:
        """Create an object record.

        When the object type links to persons and the payload carries an identity that matches, the service attaches
        an existing person or creates one, and the returned record has `person_ref_id`.

        Never sent again once it may have arrived: a lost response raises `OutcomeUnknownError`.

        Example:
            ```python
            record = project.records.create(
                type_slug="deal",
                data={"title": "Roof", "stage": "open"},
            )
            print(record.data)
            ```

        Args:
            type_slug: Identifier of the object type.
            data: Free-form JSON, keyed by field.
            external_id: Identifier of the record in another system.
            relations: Relations to other records; the shape is not shown.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 3.
        """
        return self._send(
            records_create.call(
                self._project_id,
                type_slug=type_slug,
                data=data,
                external_id=external_id,
                relations=relations,
            ),
            options,
        )

    def update(
        self,
        record_id: str | UUID,
        *,
        data: Mapping[str, Any] | Unset = UNSET,
        external_id: str | UUID | None | Unset = UNSET,
        expected_data: Mapping[str, Any] | Unset = UNSET,
        expected_status: str | Unset = UNSET,
        relations: Mapping[str, Any] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> ObjectRecord:
        """Update parts of an object record, with optional preconditions.

        `data` is merged into the record's data, and a key whose value is null is deleted. `expected_data` is a
        precondition by JSON containment and `expected_status` one on the status: if either is stale the response is a
        409 and the record does not change. On a person-linked type, data that contains an identity may refresh
        `person_ref_id`.

        Sent again after a lost response only if `expected_data` is false once the update has been applied.

        Example:
            ```python
            record = project.records.create(
                type_slug="deal",
                data={"title": "Roof", "stage": "open"},
            )
            record = project.records.update(
                record.id,
                data={"stage": "won"},
                expected_data={"stage": "open"},
            )
            print(record.data)
            ```

        Args:
            record_id: Identifier of the object record.
            data: Merged into the record's data; a key whose value is null is deleted.
            external_id: Identifier of the record in another system.
            expected_data: Precondition; the record's data must contain this JSON.
            expected_status: Precondition; the record's status must be this.
            relations: Relations to other records; the shape is not shown.
            options: Options for this call only.

        Raises:
            UsageError: An argument is invalid; nothing was sent.
            BadRequestError: 400: The request does not match the contract; the message names the field.
            AuthenticationError: 401: The token is missing, malformed, expired, or not signed by a published key.
            PermissionDeniedError: 403: The caller lacks the permission or the kind of identity that the operation
                requires.
            NotFoundError: 404: The resource does not exist in the project.
            StalePreconditionError: 409: The precondition was stale; the record did not change.
            PlatformError: Any other error of a call; `applied` says whether it was applied.

        Source: the specification, Endpoints 4.
        """
        return self._send(
            records_update.call(
                self._project_id,
                record_id,
                data=data,
                external_id=external_id,
                expected_data=expected_data,
                expected_status=expected_status,
                relations=relations,
            ),
            options,
        )


class AsyncRecordsResource(AsyncResource):
    """The `records` of a project, as coroutines."""

    async def create(
        self,
        *,
        type_slug: str,
        data: Mapping[str, Any] | Unset = UNSET,
        external_id: str | UUID | Unset = UNSET,
        relations: Mapping[str, Any] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> ObjectRecord:
        """Create an object record.

        Same as `RecordsResource.create`, but awaited.
        """
        return await self._send(
            records_create.call(
                self._project_id,
                type_slug=type_slug,
                data=data,
                external_id=external_id,
                relations=relations,
            ),
            options,
        )

    async def update(
        self,
        record_id: str | UUID,
        *,
        data: Mapping[str, Any] | Unset = UNSET,
        external_id: str | UUID | None | Unset = UNSET,
        expected_data: Mapping[str, Any] | Unset = UNSET,
        expected_status: str | Unset = UNSET,
        relations: Mapping[str, Any] | Unset = UNSET,
        options: "Options | None" = None,
    ) -> ObjectRecord:
        """Update parts of an object record, with optional preconditions.

        Same as `RecordsResource.update`, but awaited.
        """
        return await self._send(
            records_update.call(
                self._project_id,
                record_id,
                data=data,
                external_id=external_id,
                expected_data=expected_data,
                expected_status=expected_status,
                relations=relations,
            ),
            options,
        )
