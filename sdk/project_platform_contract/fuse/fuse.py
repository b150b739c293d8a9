"""The fuse: the last check before the socket. It holds back requests that a bug, retry, redirect or fuzzer must not send.

Anything unknown is treated as the worst case: a request that addresses no operation counts as irreversible. The fuse reads
requests as they are sent; `FusedTransport` and `FusedAsyncTransport` (`transport.py`) share it.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any
from urllib.parse import unquote

import httpx

from project_platform_contract.operations import EFFECTS, Effect, Operation, operation_of

from .backup import RESTORED_OPERATIONS, Backup
from .created_resources import UNKNOWN, Created, created_resources
from .limits import BlockedError, Limits
from .request_inspection import (
    RELATIONS,
    Pairs,
    addresses,
    decode_segment,
    json_body,
    pairs,
    references,
    rerouting_part,
)

# The token endpoint and the key set: the only known paths that are not operations.
_TOKEN_PATHS = frozenset({"/api/auth/token", "/api/auth/jwks"})
# The only parameter that may contain slashes, percent-encoded.
_PARAMETERS_WITH_SLASHES = frozenset({"slug"})
# The only path parameter of a write that is not checked against `Limits.resources`: `_check_project` checks it.
_CHECKED_ELSEWHERE = frozenset({"projectId"})


@dataclass(frozen=True, slots=True)
class Passed:
    """An allowed request: its number, from 1, and the seconds to wait before it is sent."""

    number: int
    operation: Operation | None
    effect: Effect
    delay: float


@dataclass(slots=True)
class Fuse:
    """Checks every request against the limits, and counts the allowed ones.

    Attributes:
        limits: The allowed requests.
        passed: Number of allowed requests.
        created: Identifiers of resources that the run created.
        unused: Identifiers that the run drew at random, so that nothing has them, or another one that contains them.
        backups: Previous values that are in the ledger, by path: these resources may be changed.
        lasting: By path, the reasons why fields of a user's resource must not be changed, by field.
        on_pass: Called with each request before it is sent.
        on_response: Called with each response to a write, and the resources that it shows as created.
        clock: Monotonic clock, in seconds.
    """

    limits: Limits
    passed: int = 0
    created: set[str] = field(default_factory=set)
    unused: set[str] = field(default_factory=set)
    backups: dict[str, Backup] = field(default_factory=dict[str, Backup])
    lasting: dict[str, dict[str, str]] = field(default_factory=dict[str, dict[str, str]])
    on_pass: Callable[[Passed, httpx.Request], None] = lambda passed, request: None
    on_response: Callable[[Passed, httpx.Response, Sequence[Created]], None] = lambda passed, response, created: None
    clock: Callable[[], float] = time.monotonic
    _redirected: set[str] = field(default_factory=set)
    _next: float = float("-inf")
    _silent: int = 0
    _restoring: bool = False
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, request: httpx.Request) -> Passed:
        """Allow a request, or raise.

        Raises:
            BlockedError: The request is not allowed; the message gives the reason.
        """
        try:
            return self._check(request)
        except BlockedError as error:
            error.request = request
            raise

    def _check(self, request: httpx.Request) -> Passed:
        operation, parameters, path = self._resolve(request)
        effect = _effect(operation, request, path)
        if effect not in self.limits.effects:
            allowed = ", ".join(sorted(self.limits.effects, key=EFFECTS.index))
            raise BlockedError(f"{request.method} {path} is {effect!r}; allowed: {allowed}", remedy=f"--allow {effect}")
        if effect != "read":
            self._check_project(operation, str(request.url), parameters, path)
            body = _body(request)
            self._check_resources(parameters, body)
            self._check_backup(operation, parameters, path, body)
            if effect != "write":
                self._check_recipients(body)
        with self._lock:
            self._check_budget()
            self.passed += 1
            now = self.clock()
            due = max(now, self._next)
            self._next = due + self.limits.pace
            return Passed(self.passed, operation, effect, due - now)

    @contextmanager
    def sending(self, passed: Passed, request: httpx.Request) -> Iterator[None]:
        """Record that an allowed request is sent, and whether it receives a complete response."""
        self.on_pass(passed, request)
        try:
            yield
        except httpx.TransportError:
            self.record_outcome(answered=False)
            raise
        self.record_outcome(answered=True)

    def record_response(self, passed: Passed, request: httpx.Request, response: httpx.Response) -> None:
        """Record what a write created, and where it was redirected to; the response must have been read."""
        if passed.effect == "read":
            return
        if response.has_redirect_location:
            self._redirected.add(str(request.url.join(response.headers["Location"])))
        created = () if passed.operation is None else tuple(created_resources(passed.operation.id, request, response))
        self.created.update(resource.id for resource in created if resource.id != UNKNOWN)
        self.on_response(passed, response, created)

    def record_outcome(self, *, answered: bool) -> None:
        """Record whether a request received a complete response; after `Limits.silent` failures no more are sent."""
        with self._lock:
            self._silent = 0 if answered else self._silent + 1

    @contextmanager
    def restoring(self) -> Iterator[None]:
        """Send requests even if the budget is spent or the target stopped responding, to restore what was changed."""
        before, self._restoring = self._restoring, True
        try:
            yield
        finally:
            self._restoring = before

    def _check_budget(self) -> None:
        if self._restoring:
            return
        if self._silent >= self.limits.silent:
            raise BlockedError(f"{self._silent} requests in a row received no complete response, so no more are sent")
        if self.passed >= self.limits.requests:
            problem = f"the budget of {self.limits.requests} requests is spent"
            raise BlockedError(problem, remedy="--requests with a higher number")

    def _resolve(self, request: httpx.Request) -> tuple[Operation | None, dict[str, str], str]:
        """Return the operation, its percent-encoded path parameters, and the path below the base URL."""
        url, base = request.url, httpx.URL(self.limits.base_url)
        if (url.scheme, url.raw_host, _port(url)) != (base.scheme, base.raw_host, _port(base)):
            raise BlockedError(f"{url.scheme}://{url.netloc.decode('ascii')} is not the target, {base}")
        if (part := rerouting_part(request)) is not None:
            raise BlockedError(f"{part} may route the request elsewhere")
        path = url.raw_path.decode("ascii").partition("?")[0]
        prefix = base.raw_path.decode("ascii").rstrip("/")
        if not path.startswith(f"{prefix}/"):
            raise BlockedError(f"{path} is not below the target, {base}")
        path = path.removeprefix(prefix)
        # httpx removes dot segments from the path; a server or proxy may find more of them when it decodes the parameters.
        operation = operation_of(request.method, path)
        parameters = {} if operation is None else operation.parameters(path) or {}
        for name, value in parameters.items():
            plain = decode_segment(value)
            if plain is None or ("/" in plain and name not in _PARAMETERS_WITH_SLASHES) or "\\" in plain:
                raise BlockedError(f"{name} in the path may be read as another path")
        return operation, parameters, path

    def _check_project(self, operation: Operation | None, url: str, parameters: dict[str, str], path: str) -> None:
        segments = [parameters["projectId"]] if operation is not None else path.split("/")
        projects = {project.lower() for project in self.limits.projects}
        named = [decode_segment(segment) or "" for segment in segments]
        # An identifier with the run's tag is no UUID, so no project has it. That it is refused is a rule.
        unknown = operation is not None and self.limits.tag != "" and self.limits.tag in named[0]
        if not unknown and not any(segment.lower() in projects for segment in named):
            raise BlockedError(f"{path} is not in a project that may be written to")
        if url in self._redirected:
            raise BlockedError(f"a request that writes was redirected to {path}; it is not repeated")

    def _check_resources(self, parameters: dict[str, str], body: Any) -> None:
        """Refuse a write to a resource that neither the run created nor the data file names.

        An event has attendees that the body does not name, and a post has readers, so the recipients alone prove nothing.
        """
        addressed = list(references(body))
        for name in parameters.keys() - _CHECKED_ELSEWHERE:
            # A server decodes once, a proxy in front of it may decode again: both readings must be known.
            addressed += [
                (name, value) for value in {unquote(parameters[name]), decode_segment(parameters[name]) or ""}
            ]
        for name, value in addressed:
            if not self._is_known(name, value):
                raise BlockedError(f"the {name} {value!r} was neither created by this run nor given in the data file")

    def _is_known(self, name: str, value: str) -> bool:
        if value in self.created or any(unused in value for unused in self.unused):
            return True
        named = self.limits.resources
        if value in named.get(name, ()) or (name == RELATIONS and any(value in ids for ids in named.values())):
            return True
        return self.limits.tag != "" and self.limits.tag in value

    def _check_backup(self, operation: Operation | None, parameters: dict[str, str], path: str, body: Any) -> None:
        """Refuse to change a thing of the user's whose previous value is not in the ledger."""
        if operation is None or operation.id not in RESTORED_OPERATIONS:
            return
        for name, problem in self.lasting.get(path, {}).items():
            if isinstance(body, Pairs) and any(member == name for member, _ in body):
                raise BlockedError(f"{name} of {path} could not be restored: {problem}")
        if path in self.backups:
            return
        slug = unquote(parameters.get("slug", ""))
        if slug in self.created or (self.limits.tag and self.limits.tag in slug):
            return
        # An update without fields changes nothing ("Endpoints 10": only provided fields are updated).
        unchanged = self.limits.unchanged.get(path, {} if operation.id == "memory_update" else None)
        if unchanged is None or body != pairs(unchanged):
            raise BlockedError(f"the previous value of {path} is not in the ledger")

    def _check_recipients(self, body: Any) -> None:
        for address in addresses(body):
            if address not in self.limits.recipients:
                raise BlockedError(f"{address!r} is not one of the allowed recipients")


def _body(request: httpx.Request) -> Any:
    """Return the JSON body of a write; one without a body is an empty object, which addresses nothing."""
    try:
        body = json_body(request)
    except ValueError as error:
        raise BlockedError(f"the recipients and identifiers in the body cannot be read: {error}") from None
    return Pairs() if body is None else body


def _effect(operation: Operation | None, request: httpx.Request, path: str) -> Effect:
    if operation is not None:
        return operation.effect
    return "read" if request.method == "GET" and path in _TOKEN_PATHS else "irreversible"


def _port(url: httpx.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)
