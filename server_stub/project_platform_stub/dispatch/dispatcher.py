"""Dispatches a call to the handler of its operation, after checks of project, permission, parameters and body.

Where the specification is silent, the profile chooses what is refused and with which status. The handler of an operation
that writes runs in a transaction of the world, so what it has checked is still true when it writes.
"""

from __future__ import annotations

import logging
import time
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any

from project_platform_stub.contract import Contract, Operation
from project_platform_stub.faults import Fault
from project_platform_stub.http.errors import ApiError, bad_request, forbidden
from project_platform_stub.http.messages import Request, Response, json_response, read_body
from project_platform_stub.http.routing import decoded_query
from project_platform_stub.http.timestamps import wire_time
from project_platform_stub.operations import Call, handlers
from project_platform_stub.profile import Profile
from project_platform_stub.world.clock import system_time
from project_platform_stub.world.domain import Identity, Json
from project_platform_stub.world.journal import MAX_STORED_BODY, Entry
from project_platform_stub.world.store import Contents, Project
from project_platform_stub.world.world import World

from . import hints
from .validation import Validator

_logger = logging.getLogger(__name__)

_BAD_REQUEST, _FORBIDDEN, _NOT_FOUND, _CONFLICT, _SERVER_ERROR = 400, 403, 404, 409, 500


@dataclass(slots=True)
class RequestContext:
    """Collects what the journal records about a request.

    Attributes:
        late: Whether this is the late execution of a request whose client got a failure.
        started: When the request arrived, in seconds of `time.monotonic`.
    """

    request: Request
    number: int
    request_id: str
    operation: str | None = None
    world: World | None = None
    identity: str | None = None
    fault: Fault | None = None
    refusal: ApiError | None = None
    hints: list[str] = field(default_factory=list)
    late: bool = False
    started: float = field(default_factory=time.monotonic)

    def journal_entry(self, response: Response) -> Entry:
        """Return the journal entry of the request and its response."""
        request, refusal, now = self.request, self.refusal, time.monotonic()
        target = request.raw_path + (b"?" + request.query if request.query else b"")
        retry_after = self.fault.retry_after if self.fault else None
        return Entry(
            number=self.number,
            at=self.now(),
            monotonic=now if self.late else self.started,
            method=request.method,
            path=target.decode("latin-1"),
            operation=self.operation,
            world=self.world.id if self.world else None,
            identity=self.identity,
            status=response.status or None,
            ending=self._ending(response),
            fault=str(self.fault) if self.fault else None,
            message=refusal.message if refusal else None,
            code=refusal.code if refusal else None,
            hints=tuple(self.hints),
            retry_after=retry_after,
            request_id=self.request_id,
            seconds=now - self.started,
            body=request.body if len(request.body) <= MAX_STORED_BODY else None,
            size=len(request.body),
            content_type=request.headers.get("content-type", "")[:200],  # limits the size of the journal
            traceparent=request.headers.get("traceparent", "")[:200],
        )

    def now(self) -> datetime:
        """Return the time by the world's clock."""
        return self.world.clock.now() if self.world else system_time()

    def _ending(self, response: Response) -> str:
        if self.late:
            return "carried out late"
        if response.cut is None:
            return f"answered after {response.delay:g} s" if response.delay else "answered"
        how = "reset" if response.cut.how == "reset" else "closed"
        when = f" after {response.delay:g} s" if response.delay else ""
        if response.cut.after is None:
            return f"{how} without a response{when}"
        return f"{how} after {response.cut.after} of {len(response.body)} bytes{when}"


class OperationDispatcher:
    """Carries out calls of operations.

    Attributes:
        operations: The operations by identifier, with the parameter names of the profile.
    """

    def __init__(self, contract: Contract, profile: Profile, *, strict: bool) -> None:
        self.operations: Mapping[str, Operation] = {
            id: _with_parameter_name(operation, profile) for id, operation in contract.operations.items()
        }
        self._handlers = handlers(contract.operations)
        self._profile = profile
        self._strict = strict
        self._validator = Validator(contract)
        self._chosen = {id: _chosen(operation, profile) for id, operation in self.operations.items()}

    def dispatch(
        self, operation: Operation, texts: Mapping[str, str], world: World, caller: Identity, context: RequestContext
    ) -> Response:
        """Return the response to a call, or raise the error to respond with; hints are added to the context."""
        try:
            if operation.effect == "read":
                return self._call_handler(operation, texts, world.read_only(), caller, context)
            with world.transaction() as contents:
                return self._call_handler(operation, texts, contents, caller, context)
        except ApiError as refusal:
            if refusal.status == _SERVER_ERROR:  # of the check of a response
                raise
            if refusal.status == _NOT_FOUND:
                context.hints += hints.other_projects(world.read_only(), texts)
            profiled = self._with_profile_status(operation, refusal)
            self._check_response(operation, profiled.status, profiled.body)
            raise profiled from None

    def _call_handler(
        self,
        operation: Operation,
        texts: Mapping[str, str],
        contents: Contents,
        caller: Identity,
        context: RequestContext,
    ) -> Response:
        path = self._validator.parameters(operation, "path", texts)
        project = self._project(operation, contents, caller, path, context)
        filters = decoded_query(context.request.query)
        query = self._validator.parameters(operation, "query", filters)
        context.hints += [f"{hint}, and was ignored" for hint in self._validator.unknown_parameters(operation, filters)]
        body = self._body(operation, context.request, context)
        now = context.now()
        result = self._handlers[operation.id](
            Call(contents, project, caller, now, wire_time(now), path, query, filters, body, self._profile)
        )
        status = self._profile.status_of(operation.id)
        if isinstance(result.value, bytes):
            return Response(status, {"Content-Type": "application/pdf", **result.headers}, result.value)
        # Inside the transaction, so that a response that breaks the contract has changed nothing.
        self._check_response(operation, status, result.value)
        return json_response(status, result.value)

    def _project(
        self,
        operation: Operation,
        contents: Contents,
        caller: Identity,
        path: Mapping[str, Any],
        context: RequestContext,
    ) -> Project:
        named = path.get("projectId")
        project = contents.home(caller) if named is None else contents.projects.get(str(named).lower())
        # The same error for a missing project and for one of others, so that it does not reveal which projects exist.
        if project is None or (named is not None and caller.id not in project.members):
            context.hints.append(hints.memberships(contents, caller))
            raise forbidden("The project does not exist, or you are not a member of it.", "not_a_member")
        needed = self._profile.needed(operation.id)
        if needed is not None and needed not in contents.permissions(caller, project):
            context.hints.append(hints.roles_with(needed, project, caller))
            raise forbidden(f"The permission {needed} is required.", "permission_denied")
        if operation.real_user and caller.kind != "user":
            raise forbidden("A real user identity is required; service accounts are refused.", "real_user_required")
        return project

    def _body(self, operation: Operation, request: Request, context: RequestContext) -> Json:
        if operation.body is None:
            return {}
        if not request.body:
            raise bad_request("body", "is required")
        body: Json = read_body(request)
        self._validator.check(operation.body, body, "body")
        unknown = self._validator.unknown_fields(operation, body)
        if unknown and self._profile.unknown_fields == "refuse":
            raise bad_request(*unknown[0].split(": ", 1))
        context.hints += [f"{hint}, and was ignored" for hint in unknown]
        return body

    def _with_profile_status(self, operation: Operation, refusal: ApiError) -> ApiError:
        """Return an error with the status that the profile chooses, or with one that the specification states."""
        status = refusal.status
        if operation.statuses_stated:
            status = status if str(status) in operation.responses else _BAD_REQUEST
        elif refusal.code == "not_a_member":
            status = self._profile.unknown_project_status
        elif status == _BAD_REQUEST:
            status = self._profile.invalid_status
        return ApiError(status, refusal.message, refusal.code, refusal.headers)

    def _check_response(self, operation: Operation, status: int, value: Any) -> None:
        """Log a response that breaks the contract, which is a bug of the stub, and raise a 500 if the stub is strict."""
        if problem := self._validator.response_problem(operation, status, value, self._chosen[operation.id]):
            message = f"The stub server's response to {operation.id} breaks openapi.yaml: {problem}"
            _logger.error(message)
            if self._strict:
                raise ApiError(500, message, "contract_broken") from None


def _chosen(operation: Operation, profile: Profile) -> frozenset[int]:
    """Return the statuses of a profile that may take the place of a documented status of an operation."""
    if operation.statuses_stated:
        return frozenset()
    replaced = {_BAD_REQUEST: profile.invalid_status, _FORBIDDEN: profile.unknown_project_status}
    chosen: set[int] = {status for documented, status in replaced.items() if str(documented) in operation.responses}
    if operation.id == "records_create" and profile.external_id == "unique":
        chosen.add(_CONFLICT)
    return frozenset(chosen)


def _with_parameter_name(operation: Operation, profile: Profile) -> Operation:
    if operation.id != "auth_check_permission":
        return operation
    (parameter,) = operation.parameters
    return replace(operation, parameters=(replace(parameter, name=profile.permission_parameter),))
