"""The context of a request: what the journal records about it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field, replace
from datetime import datetime

from project_platform_stub.faults.fault import Fault
from project_platform_stub.http.errors import ApiError
from project_platform_stub.http.messages import Request, Response
from project_platform_stub.world.clock import system_time
from project_platform_stub.world.journal import MAX_STORED_BODY, Entry
from project_platform_stub.world.world import World


@dataclass(slots=True)
class RequestContext:
    """Collects what the journal records about a request.

    Attributes:
        request: The request.
        number: Its number on this server.
        request_id: `X-Request-Id` of its response.
        operation: Identifier of its operation.
        world: World of its token.
        identity: Key of the identity of its token.
        fault: The fault that it met.
        refusal: The error of its response.
        hints: Likely mistakes in the request, each as a sentence.
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

    def for_late_execution(self, number: int, request_id: str) -> RequestContext:
        """Return a context for carrying out the same request late."""
        return replace(self, number=number, request_id=request_id, hints=[], late=True)

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
