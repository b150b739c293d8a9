"""One request in, one response out: the service itself, whatever carries its requests.

A request passes, in this order: the path (404, 405), the token (401), the project (400, 403), the permission (403), the
parameters and the body (400, 413, 415), and then the operation's own rule. All of it is synchronous; the rule runs under
the world's lock, so that what it checks is still so when it writes.
"""

from __future__ import annotations

import logging
import uuid
from collections.abc import Callable
from datetime import datetime
from typing import Any

from .call import Answer, Call
from .contract import Operation, load_contract
from .exchange import MAX_BODY_BYTES, Request, Response
from .identity import TokenDesk, bearer
from .operations import RULES
from .permissions import NEEDED, REAL_USER_ONLY
from .refusal import RefusalError, bad_request, forbidden, unauthorized
from .routing import Router, decoded_query, method_not_allowed
from .validation import Validator
from .wire import read_json, write_json
from .world import Identity, Json, Project, World

_logger = logging.getLogger(__name__)

SESSION_TOKEN_LIFETIME = 15 * 60.0  # Seconds; the default of Better Auth, whose token endpoint this is.


class Service:
    """The service over one world.

    Args:
        world: Its state.
        desk: Who issues and checks its tokens.
        now: Its clock.
    """

    def __init__(self, world: World, desk: TokenDesk, now: Callable[[], datetime]) -> None:
        contract = load_contract()
        self._world = world
        self._desk = desk
        self._now = now
        self._router = Router(contract.operations.values())
        self._validator = Validator(contract)
        self._own_paths: dict[bytes, Callable[[Request], Json]] = {
            b"/api/auth/token": self._token,
            b"/api/auth/jwks": lambda _: self._desk.key_set(),
            b"/_stub/health": lambda _: {"status": "ok"},
        }

    def handle(self, request: Request) -> Response:
        """Return the response to a request. It never raises: what goes wrong inside is a 500."""
        try:
            response = self._respond(request)
        except RefusalError as refusal:
            response = _refused(refusal)
        except Exception:
            _logger.exception("%s %r failed", request.method, request.raw_path)
            response = _refused(RefusalError(500, "The stub server failed; its log says why.", "internal_error"))
        return Response(response.status, {**response.headers, "X-Request-Id": f"req_{uuid.uuid4().hex}"}, response.body)

    def _respond(self, request: Request) -> Response:
        if (own := self._own_paths.get(request.raw_path)) is not None:
            if request.method != "GET":
                raise method_not_allowed(request.method, ["GET"])
            return _json(200, own(request))
        operation, texts = self._router.find(request.method, request.raw_path)
        try:
            answer = self._answer(operation, texts, request)
        except RefusalError as refusal:
            self._keep(operation, refusal.status, _error_body(refusal))
            raise
        if isinstance(answer.value, bytes):
            return Response(answer.status, {"Content-Type": "application/pdf", **answer.headers}, answer.value)
        self._keep(operation, answer.status, answer.value)
        return _json(answer.status, answer.value)

    def _answer(self, operation: Operation, texts: dict[str, str], request: Request) -> Answer:
        caller = self._desk.identify(request.headers.get("authorization"))
        path = self._validator.parameters(operation, "path", texts)
        project = self._project(operation, caller, path)
        filters = decoded_query(request.query)
        query = self._validator.parameters(operation, "query", filters)
        body = self._body(operation, request)
        with self._world.lock:
            call = Call(self._world, project, caller, self._now(), path, query, filters, body)
            return RULES[operation.id](call)

    def _project(self, operation: Operation, caller: Identity, path: dict[str, Any]) -> Project:
        project = self._world.projects.get(str(path.get("projectId", caller.home)).lower())
        # A project that is not there is answered like one that the caller is no member of: existence is not told.
        if project is None or caller.id not in project.members:
            raise forbidden("The project does not exist, or you are no member of it.", "not_a_member")
        needed = NEEDED[operation.id]
        if needed is not None and needed not in self._world.permissions(caller, project):
            raise forbidden(f"The permission {needed} is required.", "permission_denied")
        if operation.id in REAL_USER_ONLY and caller.kind != "user":
            raise forbidden("A real user identity is required; a service account is refused.", "real_user_required")
        return project

    def _body(self, operation: Operation, request: Request) -> Json:
        if operation.body is None:
            return {}
        if len(request.body) > MAX_BODY_BYTES:
            raise RefusalError(413, f"body: more than {MAX_BODY_BYTES} bytes", "body_too_large")
        if not request.body:
            raise bad_request("body", "is required")
        media_type = request.headers.get("content-type", "").split(";")[0].strip().lower()
        if media_type != "application/json" or request.headers.get("content-encoding", "identity") != "identity":
            raise RefusalError(415, "body: must be application/json, not compressed", "unsupported_media_type")
        value = read_json(request.body)
        self._validator.body(operation, value)
        body: Json = value
        return body

    def _token(self, request: Request) -> Json:
        identity = self._world.identity_of_session(bearer(request.headers.get("authorization")))
        if identity is None:
            raise unauthorized("There is no such session.")
        return {"token": self._desk.issue(identity, SESSION_TOKEN_LIFETIME)}

    def _keep(self, operation: Operation, status: int, value: Any) -> None:
        """Refuse an answer of our own that breaks the contract: that is our fault, and nobody should build on it."""
        if problem := self._validator.answer(operation, status, value):
            message = f"The stub server's answer to {operation.id} breaks openapi.yaml: {problem}"
            _logger.error(message)
            raise RefusalError(500, message, "contract_broken")


def _json(status: int, value: Json) -> Response:
    return Response(status, {"Content-Type": "application/json"}, write_json(value))


def _refused(refusal: RefusalError) -> Response:
    response = _json(refusal.status, _error_body(refusal))
    return Response(response.status, {**response.headers, **refusal.headers}, response.body)


def _error_body(refusal: RefusalError) -> Json:
    return {"message": refusal.message, "code": refusal.code}
