"""The fuse: the last thing before the socket. No bug, retry, redirect or fuzzer above it gets past it.

What it does not know is treated as the worst: a request that means no operation counts as irreversible. It reads a request
as it goes over the wire, for `FusedTransport` and `FusedAsyncTransport` (`fused_transport.py`) alike.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from urllib.parse import unquote

import httpx

from project_platform_contract.operations import EFFECTS, Effect, Operation, operation_of

from .created_resources import UNKNOWN, Created, creations
from .request_inspection import addresses, decoded, json_body, rerouting

# Where tokens come from and the keys that they are checked with: the only paths beside the operations that are known.
_TOKEN_PATHS = frozenset({"/api/auth/token", "/api/auth/jwks"})
# A slug may have slashes, percent-encoded; no other parameter may.
_SLASHES = frozenset({"slug"})
# The only path parameters of a write that are not checked against `Limits.resources`: the project has a check of its own.
_CHECKED_ELSEWHERE = frozenset({"projectId"})


class BlockedError(httpx.ConnectError):
    """The fuse did not let a request through. It was not sent: to a client it is as if there were no connection."""


@dataclass(frozen=True, slots=True)
class Limits:
    """What may pass.

    Attributes:
        base_url: Where requests go: one scheme, host, port and path prefix.
        effects: Effects that are allowed.
        projects: Projects that may be written to, by identifier; reading others is part of proving who may not.
        recipients: Addresses that may be written to.
        resources: By path parameter, such as `templateId`, the identifiers that a write may address. A write may also
            address what the run has created, and identifiers that contain its tag, which do not exist. A parameter
            without an entry has no other identifiers.
        tag: What everything is named with that the run creates; empty for none.
        requests: Requests in all; a retry is another one.
        pace: Seconds from one request to the next, at least.
    """

    base_url: str
    effects: frozenset[Effect]
    projects: Collection[str] = ()
    recipients: Collection[str] = ()
    resources: Mapping[str, Collection[str]] = field(default_factory=dict[str, Collection[str]])
    tag: str = ""
    requests: int = 5000
    pace: float = 0.0


@dataclass(frozen=True, slots=True)
class Passed:
    """A request that may be sent.

    Attributes:
        number: Its number; the first is 1.
        operation: The operation it means, if it means one.
        effect: What it does to the world.
        delay: Seconds to wait before it is sent.
    """

    number: int
    operation: Operation | None
    effect: Effect
    delay: float


@dataclass(slots=True)
class Fuse:
    """Decides about each request, and counts those it lets through.

    Attributes:
        limits: What may pass.
        passed: How many requests were let through.
        created: Identifiers of what the run has created.
        on_pass: Called with each request just before it is sent.
        on_answer: Called with each answer, and with what it says was created.
        clock: Seconds of a clock that only goes forward.
    """

    limits: Limits
    passed: int = 0
    created: set[str] = field(default_factory=set)
    on_pass: Callable[[Passed, httpx.Request], None] = lambda passed, request: None
    on_answer: Callable[[Passed, httpx.Response, Sequence[Created]], None] = lambda passed, response, created: None
    clock: Callable[[], float] = time.monotonic
    _redirected: set[str] = field(default_factory=set)
    _next: float = float("-inf")
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def check(self, request: httpx.Request) -> Passed:
        """Let a request through, or refuse it.

        Raises:
            BlockedError: The request may not pass; the message says why.
        """
        operation, parameters, path = self._meaning(request)
        effect = _effect(operation, request, path)
        if effect not in self.limits.effects:
            allowed = ", ".join(sorted(self.limits.effects, key=EFFECTS.index))
            raise BlockedError(f"{request.method} {path} is {effect!r}; allowed: {allowed}", request=request)
        if effect != "read":
            self._check_aim(operation, request, parameters, path)
            self._check_resources(request, parameters)
        if effect in {"notify", "irreversible"}:
            self._check_recipients(request)
        with self._lock:
            if self.passed >= self.limits.requests:
                raise BlockedError(f"all {self.limits.requests} requests are spent", request=request)
            self.passed += 1
            now = self.clock()
            due = max(now, self._next)
            self._next = due + self.limits.pace
            return Passed(self.passed, operation, effect, due - now)

    def answered(self, passed: Passed, request: httpx.Request, response: httpx.Response) -> None:
        """Take note of an answer to what writes; it has been read."""
        if passed.effect == "read":
            return
        if response.has_redirect_location:
            self._redirected.add(str(request.url.join(response.headers["Location"])))
        created = () if passed.operation is None else tuple(creations(passed.operation.id, request, response))
        self.created.update(thing.id for thing in created if thing.id != UNKNOWN)
        self.on_answer(passed, response, created)

    def _meaning(self, request: httpx.Request) -> tuple[Operation | None, dict[str, str], str]:
        """Return the operation, its path parameters, percent-encoded, and the path below the base URL."""
        url, base = request.url, httpx.URL(self.limits.base_url)
        if (url.scheme, url.raw_host, _port(url)) != (base.scheme, base.raw_host, _port(base)):
            raise BlockedError(
                f"{url.scheme}://{url.netloc.decode('ascii')} is not the target, {base}", request=request
            )
        if (what := rerouting(request)) is not None:
            raise BlockedError(f"{what} may lead it elsewhere", request=request)
        path = url.raw_path.decode("ascii").partition("?")[0]
        prefix = base.raw_path.decode("ascii").rstrip("/")
        if not path.startswith(f"{prefix}/"):
            raise BlockedError(f"{path} is not below the target, {base}", request=request)
        path = path.removeprefix(prefix)
        # httpx puts a path without dots on the wire; here is asked what a server or a proxy may make of it.
        operation = operation_of(request.method, path)
        parameters = {} if operation is None else operation.parameters(path) or {}
        for name, value in parameters.items():
            plain = decoded(value)
            if plain is None or ("/" in plain and name not in _SLASHES) or "\\" in plain:
                raise BlockedError(f"{path} may be read as another path", request=request)
        return operation, parameters, path

    def _check_aim(
        self, operation: Operation | None, request: httpx.Request, parameters: dict[str, str], path: str
    ) -> None:
        named = [parameters["projectId"]] if operation is not None else path.split("/")
        projects = {project.lower() for project in self.limits.projects}
        if not any((decoded(name) or "").lower() in projects for name in named):
            raise BlockedError(f"{path} is none of the projects that were given to be written to", request=request)
        if str(request.url) in self._redirected:
            raise BlockedError(f"a request that writes was redirected to {path}; it is not repeated", request=request)

    def _check_resources(self, request: httpx.Request, parameters: dict[str, str]) -> None:
        """Refuse a write to a resource that neither the run created nor the data file names.

        An event has attendees that the body does not name, and a post has readers, so the body alone proves nothing.
        """
        for name in parameters.keys() - _CHECKED_ELSEWHERE:
            # A server decodes once, a proxy before it may decode again: both readings have to be known.
            for value in {unquote(parameters[name]), decoded(parameters[name]) or ""}:
                if not self._knows(name, value):
                    problem = f"the {name} {value!r} was neither created by this run nor given in the data file"
                    raise BlockedError(problem, request=request)

    def _knows(self, parameter: str, value: str) -> bool:
        if value in self.created or value in self.limits.resources.get(parameter, ()):
            return True
        return self.limits.tag != "" and self.limits.tag in value

    def _check_recipients(self, request: httpx.Request) -> None:
        try:
            found = list(addresses(json_body(request)))
        except ValueError as error:
            raise BlockedError(f"the recipients cannot be read: {error}", request=request) from None
        for address in found:
            if address not in self.limits.recipients:
                raise BlockedError(f"{address!r} is none of the recipients that were given", request=request)


def _effect(operation: Operation | None, request: httpx.Request, path: str) -> Effect:
    if operation is not None:
        return operation.effect
    return "read" if request.method == "GET" and path in _TOKEN_PATHS else "irreversible"


def _port(url: httpx.URL) -> int | None:
    return url.port or {"http": 80, "https": 443}.get(url.scheme)
