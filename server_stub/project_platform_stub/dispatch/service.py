"""The service: returns the response to a request, independent of the transport.

The checks are, in this order: the path (404, 405), the token (401), the rate limit (429), a planned fault, and those of
`dispatcher.py`. Every request is recorded in a journal.
"""

from __future__ import annotations

import itertools
import logging
import random
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from email.utils import format_datetime
from functools import partial

from project_platform_stub.contract import Operation, load_contract
from project_platform_stub.dispatch import hints
from project_platform_stub.dispatch.authenticator import Authenticator
from project_platform_stub.dispatch.cross_origin import CrossOrigin
from project_platform_stub.dispatch.dispatcher import OperationDispatcher, RequestContext
from project_platform_stub.dispatch.limits import Capacity, RateLimiter
from project_platform_stub.faults import apply_fault
from project_platform_stub.faults.plans import TOKEN
from project_platform_stub.http.errors import ApiError, not_found
from project_platform_stub.http.messages import Request, Response, json_response
from project_platform_stub.http.routing import Router, decoded_segments, handled_as, method_not_allowed, with_head
from project_platform_stub.profile import Profile
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.journal import Journal
from project_platform_stub.world.world import World, Worlds

_logger = logging.getLogger(__name__)
REQUESTS = "project_platform_stub.requests"  # Logs a line for each request that a journal records, at the level INFO.
_requests = logging.getLogger(REQUESTS)

_PAGE = "/_stub/"

OPTIONS = "options"  # What the journal calls a request for the methods of a path.
SESSION_TOKEN_LIFETIME = 15 * 60.0  # Seconds; the default of Better Auth, which this token endpoint imitates.


class Service:
    """The service over some worlds.

    Attributes:
        unmatched_requests: Journal of the requests that belong to no world.
        admin: Responds to the requests under `/_stub/`; it may raise an `ApiError`.
    """

    def __init__(
        self, worlds: Worlds, *, profile: Profile, strict: bool = True, cross_origin: CrossOrigin | None = None
    ) -> None:
        self.worlds = worlds
        self.profile = profile
        self.unmatched_requests = Journal()
        self.admin: Callable[[Request], Response] | None = None
        self._encoded_slash_separates = profile.encoded_slash == "separator"
        self._dispatcher = OperationDispatcher(load_contract(), profile, strict=strict)
        self._rate_limiter = RateLimiter(profile)
        self._capacity = Capacity(profile)
        self._authenticator = Authenticator(worlds.ring, worlds.get)
        self._router = Router(self._dispatcher.operations.values(), also=["OPTIONS"])
        self._cross_origin = cross_origin or CrossOrigin(())
        self._numbers = itertools.count(1)
        self._random = random.Random()  # noqa: S311  # request ids are no secrets
        self._fixed_paths: dict[bytes, Callable[[RequestContext], Response]] = {
            b"/api/auth/token": self._token,
            b"/api/auth/jwks": self._key_set,
            b"/_stub/health": lambda _: json_response(200, {"status": "ok"}),
            b"/_stub": lambda _: Response(303, {"Location": _PAGE}, b""),
        }

    def handle(self, request: Request) -> Response:
        """Return the response to a request. It never raises: an unexpected exception becomes a 500."""
        number = 0 if _is_admin(request) else next(self._numbers)
        context = RequestContext(request, number, self._new_request_id())
        return self._respond_and_record(context, lambda: self._route(context))

    def takes_long(self, request: Request) -> bool:
        """Return whether a request is better handled in a thread than in an event loop."""
        return request.raw_path.endswith((b"/label-export", b"/labels.pdf", b"/replay"))

    def _new_request_id(self) -> str:
        # Identifiers have to be unique but not secret, and the system's random generator takes ten times as long.
        return f"req_{self._random.getrandbits(128):032x}"

    def _respond_and_record(self, context: RequestContext, respond: Callable[[], Response]) -> Response:
        response = self._catch_errors(context, respond)
        if not _is_admin(context.request):
            journal = self.unmatched_requests if context.world is None else context.world.journal
            entry = context.journal_entry(response)
            journal.add(entry)
            if _requests.isEnabledFor(logging.INFO):
                _requests.info("%s", entry.line)
        headers = {
            "Date": format_datetime(context.now(), usegmt=True),  # a date in `Retry-After` is compared with it
            **response.headers,
            "X-Request-Id": context.request_id,
            **self._cross_origin.headers(context.request),
        }
        return Response(response.status, headers, response.body, response.delay, response.cut)

    def _catch_errors(self, context: RequestContext, respond: Callable[[], Response]) -> Response:
        try:
            return respond()
        except ApiError as refusal:
            context.refusal = refusal
        except Exception:
            _logger.exception("%s %r failed", context.request.method, context.request.raw_path)
            context.refusal = ApiError(500, "The stub server failed; its log has the traceback.", "internal_error")
        return json_response(context.refusal.status, context.refusal.body, context.refusal.headers)

    def _route(self, context: RequestContext) -> Response:
        request = context.request
        if (respond_to_path := self._fixed_paths.get(request.raw_path)) is not None:
            methods = [*with_head(["GET"]), "OPTIONS"]
            if request.method == "OPTIONS":
                return self._options(context, methods)
            if handled_as(request.method) != "GET":
                raise method_not_allowed(request.method, methods)
            return respond_to_path(context)
        if self.admin is not None and _is_admin(request):
            return self.admin(request)
        if request.raw_path == b"/" and "text/html" in request.headers.get("accept", ""):  # a browser
            return Response(303, {"Location": _PAGE}, b"")
        if request.method == "OPTIONS":
            return self._options(context, self._router.methods(self._path(request)))
        try:
            operation, texts = self._find(request)
        except ApiError:
            with suppress(ApiError):  # with a valid token, a wrong path belongs to the journal of its world
                self._identify(context)
            raise
        context.operation = operation.id
        world, caller = self._identify(context)
        self._rate_limiter.admit(world, caller)
        carry_out = partial(self._dispatcher.dispatch, operation, texts, world, caller)
        return self._capacity.queued(world, self._with_fault(operation.id, world, context, carry_out))

    def _options(self, context: RequestContext, methods: list[str]) -> Response:
        """Return the methods of a path (RFC 9110 section 9.3.7), which browsers request without a token."""
        context.operation = OPTIONS
        return Response(
            204, {"Allow": ", ".join(methods), **self._cross_origin.preflight(context.request, methods)}, b""
        )

    def _identify(self, context: RequestContext) -> tuple[World, Identity]:
        world, caller = self._authenticator.identify(context.request.headers.get("authorization"))
        context.world, context.identity = world, caller.key
        return world, caller

    def _path(self, request: Request) -> bytes:
        if self._encoded_slash_separates:
            return request.raw_path.replace(b"%2F", b"/").replace(b"%2f", b"/")
        return request.raw_path

    def _find(self, request: Request) -> tuple[Operation, dict[str, str]]:
        raw_path = self._path(request)
        try:
            return self._router.find(request.method, raw_path)
        except ApiError as refusal:
            if raw_path == b"/":
                raise not_found(
                    f"There is no such path. This is a stub server; {_PAGE} is its page.", refusal.code
                ) from None
            operations = self._dispatcher.operations.values()
            if refusal.code == "no_such_path" and (
                near := hints.near_path(operations, request.method, decoded_segments(raw_path))
            ):
                raise ApiError(404, f"There is no such path; did you mean {near}?", refusal.code) from None
            raise

    def _with_fault(
        self, operation: str, world: World, context: RequestContext, carry_out: Callable[[RequestContext], Response]
    ) -> Response:
        fault = world.faults.take(operation)
        if fault is None:
            return carry_out(context)
        context.fault = fault
        if fault.late is not None:
            number, request_id = next(self._numbers), self._new_request_id()
            late = replace(context, number=number, request_id=request_id, hints=[], late=True)
            world.faults.schedule(fault.late, lambda: self._respond_and_record(late, lambda: carry_out(late)))
        response = self._catch_errors(context, lambda: carry_out(context)) if fault.applied else None
        return apply_fault(fault, response, world.clock.now())

    def _token(self, context: RequestContext) -> Response:
        context.operation = TOKEN
        world, identity = self._authenticator.identify_session(context.request.headers.get("authorization"))
        context.world, context.identity = world, identity.key

        def issue(_: RequestContext) -> Response:
            return json_response(200, {"token": world.tokens.valid(identity.key, lifetime=SESSION_TOKEN_LIFETIME)})

        return self._with_fault(TOKEN, world, context, issue)

    def _key_set(self, context: RequestContext) -> Response:
        context.operation = "auth_key_set"
        return json_response(200, self.worlds.ring.key_set())


def _is_admin(request: Request) -> bool:
    """Return whether a request is for the stub server itself; it is not recorded, so it gets no number."""
    return request.raw_path.startswith(b"/_stub/")
