"""One request in, one response out: the service itself, whatever carries its requests.

A request passes, in this order: the path (404, 405), the token (401), what is planned to go wrong, the project (400, 403),
the permission (403), the parameters and the body (400, 413, 415), and then the operation's own rule. All of it is
synchronous; a rule that writes runs in a transaction of the world, so that what it checks is still so when it writes.
"""

from __future__ import annotations

import itertools
import logging
import uuid
from collections.abc import Callable
from typing import Any

from . import hints
from .call import Call
from .contents import Contents, Project
from .contract import Operation, load_contract
from .exchange import MAX_BODY_BYTES, Request, Response
from .fault_plans import TOKEN
from .faulty import faulty
from .identity import TokenDesk
from .journal import Journal
from .note import Note
from .operations import RULES
from .permissions import NEEDED, REAL_USER_ONLY
from .refusal import RefusalError, bad_request, forbidden
from .routing import Router, decoded_query, decoded_segments, method_not_allowed
from .validation import Validator
from .values import Identity, Json
from .wire import read_json, write_json
from .world import World
from .worlds import Worlds

_logger = logging.getLogger(__name__)

SESSION_TOKEN_LIFETIME = 15 * 60.0  # Seconds; the default of Better Auth, whose token endpoint this is.


class Service:
    """The service over some worlds.

    Attributes:
        worlds: The worlds.
        strays: Journal of the requests that belong to no world.

    Args:
        worlds: The worlds.
        strict: Whether an answer of the service's own that breaks the contract becomes a 500.
    """

    def __init__(self, worlds: Worlds, *, strict: bool = True) -> None:
        contract = load_contract()
        self.worlds = worlds
        self.strays = Journal()
        self._strict = strict
        self._desk = TokenDesk(worlds.ring, worlds.get)
        self._operations = contract.operations
        self._router = Router(contract.operations.values())
        self._validator = Validator(contract)
        self._numbers = itertools.count(1)
        self._own_paths: dict[bytes, Callable[[Request, Note], Response]] = {
            b"/api/auth/token": self._token,
            b"/api/auth/jwks": self._key_set,
            b"/_stub/health": lambda *_: _json(200, {"status": "ok"}),
        }

    def handle(self, request: Request) -> Response:
        """Return the response to a request. It never raises: what goes wrong inside is a 500."""
        note = Note(request, next(self._numbers), f"req_{uuid.uuid4().hex}")
        return self._noted(note, lambda: self._respond(request, note))

    def takes_long(self, request: Request) -> bool:
        """Return whether a request is better handled in a thread than in an event loop."""
        return request.raw_path.endswith(b"/label-export")

    def _noted(self, note: Note, respond: Callable[[], Response]) -> Response:
        response = self._safely(note, respond)
        if not note.request.raw_path.startswith(b"/_stub/"):
            journal = self.strays if note.world is None else note.world.journal
            journal.add(note.entry(response))
        headers = {**response.headers, "X-Request-Id": note.request_id}
        return Response(response.status, headers, response.body, response.delay, response.cut)

    def _safely(self, note: Note, respond: Callable[[], Response]) -> Response:
        try:
            return respond()
        except RefusalError as refusal:
            note.refusal = refusal
            return _refused(refusal)
        except Exception:
            _logger.exception("%s %r failed", note.request.method, note.request.raw_path)
            note.refusal = RefusalError(500, "The stub server failed; its log says why.", "internal_error")
            return _refused(note.refusal)

    def _respond(self, request: Request, note: Note) -> Response:
        if (own := self._own_paths.get(request.raw_path)) is not None:
            if request.method != "GET":
                raise method_not_allowed(request.method, ["GET"])
            return own(request, note)
        operation, texts = self._find(request)
        note.operation = operation.id
        world, caller = self._desk.identify(request.headers.get("authorization"))
        note.world, note.identity = world, caller.key
        return self._unless_planned(
            operation.id, world, note, lambda note: self._carried_out(operation, texts, world, caller, note)
        )

    def _unless_planned(
        self, operation: str, world: World, note: Note, carry_out: Callable[[Note], Response]
    ) -> Response:
        fault = world.faults.take(operation)
        if fault is None:
            return carry_out(note)
        note.fault = fault
        if fault.late is not None:
            # It comes again, on its own, when nobody waits for it any more.
            late = note.again(next(self._numbers), f"req_{uuid.uuid4().hex}")
            world.faults.later(fault.late, lambda: self._noted(late, lambda: carry_out(late)))
        applied = self._safely(note, lambda: carry_out(note)) if fault.applied else None
        return faulty(fault, applied, world.clock.now())

    def _find(self, request: Request) -> tuple[Operation, dict[str, str]]:
        try:
            return self._router.find(request.method, request.raw_path)
        except RefusalError as refusal:
            if refusal.code == "no_such_path":
                segments = decoded_segments(request.raw_path)
                near = hints.near_path(self._operations.values(), request.method, segments)
                if near:
                    raise RefusalError(404, f"There is no such path; did you mean {near}?", refusal.code) from None
            raise

    def _carried_out(
        self, operation: Operation, texts: dict[str, str], world: World, caller: Identity, note: Note
    ) -> Response:
        path = self._validator.parameters(operation, "path", texts)
        if operation.effect == "read":
            return self._answered(operation, world.reading(), caller, path, note)
        with world.transaction() as contents:
            return self._answered(operation, contents, caller, path, note)

    def _answered(
        self, operation: Operation, contents: Contents, caller: Identity, path: dict[str, Any], note: Note
    ) -> Response:
        request = note.request
        try:
            project = self._project(operation, contents, caller, path, note)
            filters = decoded_query(request.query)
            query = self._validator.parameters(operation, "query", filters)
            body = self._body(operation, request, note)
            note.hints += self._validator.unknown_parameters(operation, filters)
            call = Call(contents, project, caller, note.now(), path, query, filters, body)
            answer = RULES[operation.id](call)
        except RefusalError as refusal:
            if refusal.status == 404:  # noqa: PLR2004  # not found
                note.hints += hints.elsewhere(contents, path)
            self._keep(operation, refusal.status, _error_body(refusal))
            raise
        if isinstance(answer.value, bytes):
            return Response(answer.status, {"Content-Type": "application/pdf", **answer.headers}, answer.value)
        # Within the transaction: an answer that is not given did not change anything.
        self._keep(operation, answer.status, answer.value)
        return _json(answer.status, answer.value)

    def _project(
        self, operation: Operation, contents: Contents, caller: Identity, path: dict[str, Any], note: Note
    ) -> Project:
        project = contents.projects.get(str(path.get("projectId", caller.home)).lower())
        # A project that is not there is answered like one that the caller is no member of: existence is not told.
        if project is None or caller.id not in project.members:
            note.hints.append(hints.memberships(contents, caller))
            raise forbidden("The project does not exist, or you are no member of it.", "not_a_member")
        needed = NEEDED[operation.id]
        if needed is not None and needed not in contents.permissions(caller, project):
            note.hints.append(hints.who_may(project, caller, needed))
            raise forbidden(f"The permission {needed} is required.", "permission_denied")
        if operation.id in REAL_USER_ONLY and caller.kind != "user":
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
        value = read_json(request.body)
        self._validator.body(operation, value)
        note.hints += self._validator.unknown_fields(operation, value)
        body: Json = value
        return body

    def _token(self, request: Request, note: Note) -> Response:
        note.operation = TOKEN
        world, identity = self._desk.of_session(request.headers.get("authorization"))
        note.world, note.identity = world, identity.key
        return self._unless_planned(
            TOKEN,
            world,
            note,
            lambda _: _json(200, {"token": world.tokens.valid(identity.key, lifetime=SESSION_TOKEN_LIFETIME)}),
        )

    def _key_set(self, request: Request, note: Note) -> Response:
        note.operation = "auth_key_set"
        return _json(200, self.worlds.ring.key_set())

    def _keep(self, operation: Operation, status: int, value: Any) -> None:
        """Refuse an answer of our own that breaks the contract: that is our fault, and nobody should build on it."""
        if problem := self._validator.answer(operation, status, value):
            message = f"The stub server's answer to {operation.id} breaks openapi.yaml: {problem}"
            _logger.error(message)
            if self._strict:
                raise RefusalError(500, message, "contract_broken")


def _json(status: int, value: Json) -> Response:
    return Response(status, {"Content-Type": "application/json"}, write_json(value))


def _refused(refusal: RefusalError) -> Response:
    response = _json(refusal.status, _error_body(refusal))
    return Response(response.status, {**response.headers, **refusal.headers}, response.body)


def _error_body(refusal: RefusalError) -> Json:
    return {"message": refusal.message, "code": refusal.code}
