"""Spans and metrics of calls for OpenTelemetry: `Client(on_event=OpenTelemetry())`. It requires the extra `otel`.

The attributes follow the semantic conventions for HTTP clients, which are stable since version 1.23. Nothing is attached to the
current context, which would stay set in the program while a call waits: the parent of a span is passed on.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from .calls.events import (
    AttemptEnded,
    AttemptStarted,
    CallContext,
    CallEnded,
    CallStarted,
    Event,
    RowEnded,
    Settled,
    Waiting,
)
from .version import VERSION

try:
    from opentelemetry import metrics, propagate, trace
except ModuleNotFoundError as _missing:
    raise ModuleNotFoundError(
        "project_platform.otel needs opentelemetry: pip install 'project-platform[otel]'", name=_missing.name
    ) from _missing

if TYPE_CHECKING:
    from opentelemetry.context import Context
    from opentelemetry.metrics import MeterProvider
    from opentelemetry.trace import Span, TracerProvider

__all__ = ["OpenTelemetry"]

_NAME: Final = "project_platform"
_ERROR: Final = 400  # a client reports 4xx and 5xx as errors, as the conventions say
_PORTS: Final = {"http": 80, "https": 443}
# Boundaries in seconds that the conventions recommend for durations of requests.
_BOUNDARIES: Final = (0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1.0, 2.5, 5.0, 7.5, 10.0)


class OpenTelemetry:
    """A listener that creates spans and metrics. Clients may share it.

    Each call is a span of kind INTERNAL, named by its operation, and each attempt below it one of kind CLIENT, whose context is
    sent as `traceparent`. A method that sends several calls, such as `records.apply`, is a span above theirs.

    | Metric | Kind, unit | Attributes |
    |---|---|---|
    | `http.client.request.duration` | histogram of attempts, s | those of the conventions |
    | `project_platform.call.duration` | histogram of calls, s | operation, applied, `error.type` |
    | `project_platform.resends` | counter of attempts after the first | operation, cause |
    | `project_platform.wait.duration` | histogram of waits, s | operation |
    | `project_platform.settled` | counter of doubts that were settled | operation, applied |
    | `project_platform.rows` | counter of rows of bulk runs | applied |

    Args:
        tracer_provider: The provider of the tracer; the default is the global one.
        meter_provider: The provider of the meter; the default is the global one.
    """

    def __init__(
        self, *, tracer_provider: TracerProvider | None = None, meter_provider: MeterProvider | None = None
    ) -> None:
        self._tracer = trace.get_tracer(_NAME, VERSION, tracer_provider)
        meter = metrics.get_meter(_NAME, VERSION, meter_provider)

        def seconds(name: str, description: str) -> metrics.Histogram:
            return meter.create_histogram(
                name, unit="s", description=description, explicit_bucket_boundaries_advisory=_BOUNDARIES
            )

        self._requests = seconds("http.client.request.duration", "Duration of HTTP client requests.")
        self._calls = seconds("project_platform.call.duration", "Duration of calls, waits and attempts included.")
        self._waits = seconds("project_platform.wait.duration", "Waits before attempts.")
        self._resends = meter.create_counter("project_platform.resends", description="Attempts after the first.")
        self._settled = meter.create_counter("project_platform.settled", description="Doubts that were settled.")
        self._rows = meter.create_counter("project_platform.rows", description="Rows of bulk runs.")
        self._call_spans: dict[int, tuple[Span, Context]] = {}
        self._attempts: dict[int, tuple[Span, dict[str, Any]]] = {}

    def __call__(self, event: Event) -> None:
        """Take an event of a client."""
        match event:
            case CallStarted():
                self._start_call(event.call)
            case AttemptStarted():
                self._start_attempt(event)
            case AttemptEnded():
                self._end_attempt(event)
            case Waiting():
                self._waits.record(event.seconds, _of(event.call))
            case Settled():
                self._settled.add(1, {**_of(event.call), "project_platform.applied": event.applied})
                span, _ = self._call_spans[event.call.id]
                span.add_event("project_platform.settled", {"project_platform.applied": event.applied})
            case CallEnded():
                self._end_call(event)
            case RowEnded():
                self._rows.add(1, {"project_platform.applied": event.applied})
            case _:
                pass

    def _start_call(self, call: CallContext) -> None:
        above = self._call_spans[call.parent.id][1] if call.parent is not None else None
        attributes = {**_of(call), "project_platform.effect": call.effect}
        span = self._tracer.start_span(call.operation_id, above, attributes=attributes)
        self._call_spans[call.id] = span, trace.set_span_in_context(span, above)

    def _start_attempt(self, event: AttemptStarted) -> None:
        call, url = event.call, urlsplit(event.url)
        assert call.method is not None
        assert call.path is not None
        attributes: dict[str, Any] = {
            "http.request.method": call.method,
            "url.template": call.path,
            "server.address": url.hostname or "",
            "server.port": url.port or _PORTS[url.scheme],
        }
        _, above = self._call_spans[call.id]
        span = self._tracer.start_span(
            f"{call.method} {call.path}", above, trace.SpanKind.CLIENT, {**attributes, "url.full": event.url}
        )
        if event.attempt > 1:
            span.set_attribute("http.request.resend_count", event.attempt - 1)
            self._resends.add(1, {**_of(call), "project_platform.cause": event.cause})
        self._attempts[call.id] = span, attributes
        propagate.inject(event.headers, trace.set_span_in_context(span, above))

    def _end_attempt(self, event: AttemptEnded) -> None:
        span, attributes = self._attempts.pop(event.call.id)
        error = event.error
        if event.status is not None:
            attributes["http.response.status_code"] = event.status
            span.set_attribute("http.response.status_code", event.status)
            error = str(event.status) if event.status >= _ERROR else None
        if error is not None:
            attributes["error.type"] = error
        self._requests.record(event.seconds, attributes, trace.set_span_in_context(span))
        span.set_attribute("project_platform.fate", event.fate)
        if event.request_id is not None:
            span.set_attribute("http.response.header.x-request-id", [event.request_id])
        _end(span, error)

    def _end_call(self, event: CallEnded) -> None:
        span, context = self._call_spans.pop(event.call.id)
        attributes = {**_of(event.call), "project_platform.applied": event.applied}
        if event.error is not None:
            attributes["error.type"] = event.error
        if event.call.method is not None:  # the calls below a method are counted already
            self._calls.record(event.seconds, attributes, context)
        span.set_attribute("project_platform.applied", event.applied)
        span.set_attribute("project_platform.attempts", event.attempts)
        _end(span, event.error)


def _of(call: CallContext) -> dict[str, str]:
    return {"project_platform.operation": call.operation_id}


def _end(span: Span, error: str | None) -> None:
    if error is not None:
        span.set_attribute("error.type", error)
        span.set_status(trace.Status(trace.StatusCode.ERROR))
    span.end()
