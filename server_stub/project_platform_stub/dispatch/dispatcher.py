"""How an operation is carried out: project, permission, parameters, body, and then its own rule.

What is refused, and with which status, is what the profile says where the specification does not. All of it is
synchronous; a rule that writes runs in a transaction of the world, so that what it checks is still so when it writes.
"""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from project_platform_stub.contract import Contract, Operation
from project_platform_stub.http.errors import RefusalError, bad_request, forbidden
from project_platform_stub.http.json import read_json
from project_platform_stub.http.messages import MAX_BODY_BYTES, Request, Response, json_response
from project_platform_stub.http.routing import decoded_query
from project_platform_stub.operations import handlers
from project_platform_stub.operations.call import Call
from project_platform_stub.profile.profile import Profile
from project_platform_stub.world.domain import Identity, Json
from project_platform_stub.world.views import Contents, Project
from project_platform_stub.world.world import World

from . import hints
from .context import Note
from .validation import Validator

_logger = logging.getLogger(__name__)

_BAD_REQUEST, _NOT_FOUND, _CONFLICT = 400, 404, 409


class Performer:
    """Carries operations out.

    Attributes:
        operations: The operations by identifier, with the names that the profile gives to their parameters.

    Args:
        contract: What requests and answers have to fit.
        profile: What is done where the specification is silent.
        strict: Whether an answer that breaks the contract becomes a 500.
    """

    def __init__(self, contract: Contract, profile: Profile, *, strict: bool) -> None:
        self.operations: Mapping[str, Operation] = {
            id: _profiled(operation, profile) for id, operation in contract.operations.items()
        }
        self._handlers = handlers(contract.operations)
        self._profile = profile
        self._strict = strict
        self._validator = Validator(contract)
        # A profile may choose statuses that the contract does not name.
        self._chosen: set[int] = {profile.invalid_status, profile.unknown_project_status}
        if profile.duplicate_external_id == "conflict":
            self._chosen.add(_CONFLICT)

    def perform(
        self, operation: Operation, texts: Mapping[str, str], world: World, caller: Identity, note: Note
    ) -> Response:
        """Return the response to a call, or refuse it.

        Args:
            operation: What to do.
            texts: The path's parameters, decoded.
            world: The world to do it in.
            caller: Who wants it.
            note: The request, and where to write what may have been meant.
        """
        try:
            if operation.effect == "read":
                return self._answered(operation, texts, world.reading(), caller, note)
            with world.transaction() as contents:
                return self._answered(operation, texts, contents, caller, note)
        except RefusalError as refusal:
            if refusal.status == _NOT_FOUND:
                note.hints += hints.elsewhere(world.reading(), texts)
            profiled = self._as_profiled(operation, refusal)
            self._keep(operation, profiled.status, profiled.body)
            raise profiled from None

    def _answered(
        self, operation: Operation, texts: Mapping[str, str], contents: Contents, caller: Identity, note: Note
    ) -> Response:
        path = self._validator.parameters(operation, "path", texts)
        project = self._project(operation, contents, caller, path, note)
        filters = decoded_query(note.request.query)
        query = self._validator.parameters(operation, "query", filters)
        note.hints += [f"{hint}, and was ignored" for hint in self._validator.unknown_parameters(operation, filters)]
        body = self._body(operation, note.request, note)
        answer = self._handlers[operation.id](
            Call(contents, project, caller, note.now(), path, query, filters, body, self._profile)
        )
        status = self._profile.status_of(operation.id)
        if isinstance(answer.value, bytes):
            return Response(status, {"Content-Type": "application/pdf", **answer.headers}, answer.value)
        # Within the transaction: an answer that is not given did not change anything.
        self._keep(operation, status, answer.value)
        return json_response(status, answer.value)

    def _project(
        self, operation: Operation, contents: Contents, caller: Identity, path: Mapping[str, Any], note: Note
    ) -> Project:
        project = contents.projects.get(str(path.get("projectId", caller.home)).lower())
        # A project that is not there is answered like one that the caller is no member of: existence is not told.
        if project is None or caller.id not in project.members:
            note.hints.append(hints.memberships(contents, caller))
            raise forbidden("The project does not exist, or you are no member of it.", "not_a_member")
        needed = self._profile.needed(operation.id)
        if needed is not None and needed not in contents.permissions(caller, project):
            note.hints.append(hints.who_may(project, caller, needed))
            raise forbidden(f"The permission {needed} is required.", "permission_denied")
        if operation.real_user and caller.kind != "user":
            raise forbidden("A real user identity is required; a service account is refused.", "real_user_required")
        return project

    def _body(self, operation: Operation, request: Request, note: Note) -> Json:
        if operation.body is None:
            return {}
        if len(request.body) > MAX_BODY_BYTES:
            raise RefusalError(413, f"body: more than {MAX_BODY_BYTES} bytes", "body_too_large")
        if not request.body:
            raise bad_request("body", "is required")
        media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if media_type != "application/json" or request.headers.get("content-encoding", "identity") != "identity":
            raise RefusalError(415, "body: must be application/json, not compressed", "unsupported_media_type")
        body: Json = read_json(request.body)
        self._validator.body(operation, body)
        unknown = self._validator.unknown_fields(operation, body)
        if unknown and self._profile.unknown_fields == "refuse":
            raise bad_request(*unknown[0].split(": ", 1))
        note.hints += [f"{hint}, and was ignored" for hint in unknown]
        return body

    def _as_profiled(self, operation: Operation, refusal: RefusalError) -> RefusalError:
        """Return a refusal with the status that the profile chooses."""
        if operation.statuses_stated:
            return refusal
        status = refusal.status
        if refusal.code == "not_a_member":
            status = self._profile.unknown_project_status
        elif status == _BAD_REQUEST:
            status = self._profile.invalid_status
        return RefusalError(status, refusal.message, refusal.code, refusal.headers)

    def _keep(self, operation: Operation, status: int, value: Any) -> None:
        """Refuse an answer of our own that breaks the contract: that is our fault, and nobody should build on it."""
        if problem := self._validator.answer(operation, status, value, self._chosen):
            message = f"The stub server's answer to {operation.id} breaks openapi.yaml: {problem}"
            _logger.error(message)
            if self._strict:
                raise RefusalError(500, message, "contract_broken") from None


def _profiled(operation: Operation, profile: Profile) -> Operation:
    if operation.id != "auth_check_permission":
        return operation
    (parameter,) = operation.parameters
    return replace(operation, parameters=(replace(parameter, name=profile.permission_parameter),))
