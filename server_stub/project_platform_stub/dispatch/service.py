"""One request in, one response out: the service itself, whatever carries its requests.

A request passes, in this order: the path (404, 405), the token (401), a rate limit if there is one (429), what is planned
to go wrong, and then what `dispatcher.py` does with it. Whatever becomes of it is written into a journal.
"""

from __future__ import annotations

import itertools
import logging
import random
from collections.abc import Callable
from contextlib import suppress

from project_platform_stub.contract import Operation, load_contract
from project_platform_stub.faults.apply import faulty
from project_platform_stub.faults.plans import TOKEN
from project_platform_stub.http.errors import RefusalError
from project_platform_stub.http.messages import Request, Response, json_response
from project_platform_stub.http.routing import Router, decoded_segments, method_not_allowed
from project_platform_stub.profile.profile import Profile
from project_platform_stub.world.domain import Identity
from project_platform_stub.world.journal import Journal
from project_platform_stub.world.registry import Worlds
from project_platform_stub.world.world import World

from . import hints
from .authenticator import TokenDesk
from .context import Note
from .dispatcher import Performer
from .rate_limit import RateLimiter

_logger = logging.getLogger(__name__)

SESSION_TOKEN_LIFETIME = 15 * 60.0  # Seconds; the default of Better Auth, whose token endpoint this is.


class Service:
    """The service over some worlds.

    Attributes:
        worlds: The worlds.
        strays: Journal of the requests that belong to no world.

    Args:
        worlds: The worlds.
        profile: What is done where the specification is silent.
        strict: Whether an answer of the service's own that breaks the contract becomes a 500.
    """

    def __init__(self, worlds: Worlds, *, profile: Profile, strict: bool = True) -> None:
        self.worlds = worlds
        self.strays = Journal()
        self._mounted: dict[bytes, Callable[[Request], Response]] = {}
        self._encoded_slash_separates = profile.encoded_slash == "separator"
        self._performer = Performer(load_contract(), profile, strict=strict)
        self._rate_limiter = RateLimiter(profile)
        self._desk = TokenDesk(worlds.ring, worlds.get)
        self._router = Router(self._performer.operations.values())
        self._numbers = itertools.count(1)
        self._dice = random.Random()  # noqa: S311  # request ids are no secrets
        self._own_paths: dict[bytes, Callable[[Note], Response]] = {
            b"/api/auth/token": self._token,
            b"/api/auth/jwks": self._key_set,
            b"/_stub/health": lambda _: json_response(200, {"status": "ok"}),
            b"/_stub": lambda _: Response(303, {"Location": "/_stub/"}, b""),
        }

    def mount(self, prefix: bytes, respond: Callable[[Request], Response]) -> None:
        """Answer requests whose path starts with a prefix by a function, which may raise a `RefusalError`."""
        self._mounted[prefix] = respond

    def handle(self, request: Request) -> Response:
        """Return the response to a request. It never raises: what goes wrong inside is a 500."""
        note = self._note(request)
        return self._noted(note, lambda: self._respond(note))

    def takes_long(self, request: Request) -> bool:
        """Return whether a request is better handled in a thread than in an event loop."""
        return request.raw_path.endswith((b"/label-export", b"/replay"))

    def _note(self, request: Request) -> Note:
        # The journal knows nothing of requests under `/_stub/`, so they take none of its numbers.
        number = 0 if request.raw_path.startswith(b"/_stub/") else next(self._numbers)
        return Note(request, number, self._new_request_id())

    def _new_request_id(self) -> str:
        # Unique and no secret, so one dice does for all of them; the system's takes ten times as long.
        return f"req_{self._dice.getrandbits(128):032x}"

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
        except Exception:
            _logger.exception("%s %r failed", note.request.method, note.request.raw_path)
            note.refusal = RefusalError(500, "The stub server failed; its log says why.", "internal_error")
        return json_response(note.refusal.status, note.refusal.body, note.refusal.headers)

    def _respond(self, note: Note) -> Response:
        request = note.request
        if (own := self._own_paths.get(request.raw_path)) is not None:
            if request.method != "GET":
                raise method_not_allowed(request.method, ["GET"])
            return own(note)
        for prefix, respond in self._mounted.items():
            if request.raw_path.startswith(prefix):
                return respond(request)
        try:
            operation, texts = self._find(request)
        except RefusalError:
            with suppress(RefusalError):  # a wrong path of somebody known is written into the journal of their world
                self._identify(note)
            raise
        note.operation = operation.id
        world, caller = self._identify(note)
        self._rate_limiter.admit(world, caller)
        return self._unless_planned(
            operation.id, world, note, lambda note: self._performer.perform(operation, texts, world, caller, note)
        )

    def _identify(self, note: Note) -> tuple[World, Identity]:
        world, caller = self._desk.identify(note.request.headers.get("authorization"))
        note.world, note.identity = world, caller.key
        return world, caller

    def _find(self, request: Request) -> tuple[Operation, dict[str, str]]:
        raw_path = request.raw_path
        if self._encoded_slash_separates:
            raw_path = raw_path.replace(b"%2F", b"/").replace(b"%2f", b"/")
        try:
            return self._router.find(request.method, raw_path)
        except RefusalError as refusal:
            operations = self._performer.operations.values()
            if refusal.code == "no_such_path" and (
                near := hints.near_path(operations, request.method, decoded_segments(raw_path))
            ):
                raise RefusalError(404, f"There is no such path; did you mean {near}?", refusal.code) from None
            raise

    def _unless_planned(
        self, operation: str, world: World, note: Note, carry_out: Callable[[Note], Response]
    ) -> Response:
        fault = world.faults.take(operation)
        if fault is None:
            return carry_out(note)
        note.fault = fault
        if fault.late is not None:
            # It comes again, on its own, when nobody waits for it any more.
            late = note.again(next(self._numbers), self._new_request_id())
            world.faults.later(fault.late, lambda: self._noted(late, lambda: carry_out(late)))
        applied = self._safely(note, lambda: carry_out(note)) if fault.applied else None
        return faulty(fault, applied, world.clock.now())

    def _token(self, note: Note) -> Response:
        note.operation = TOKEN
        world, identity = self._desk.of_session(note.request.headers.get("authorization"))
        note.world, note.identity = world, identity.key

        def issue(_: Note) -> Response:
            return json_response(200, {"token": world.tokens.valid(identity.key, lifetime=SESSION_TOKEN_LIFETIME)})

        return self._unless_planned(TOKEN, world, note, issue)

    def _key_set(self, note: Note) -> Response:
        note.operation = "auth_key_set"
        return json_response(200, self.worlds.ring.key_set())
