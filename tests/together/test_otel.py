"""Spans and metrics of calls against the stub server, whose journal shows the context that was sent."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import anyio
import pytest

pytest.importorskip("opentelemetry.sdk", reason="needs the extra `otel` and the SDK of OpenTelemetry")

from opentelemetry.sdk.metrics import MeterProvider
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from opentelemetry.trace import SpanKind, StatusCode

from project_platform import (
    AsyncClient,
    AttemptEnded,
    AttemptStarted,
    CallContext,
    CallEnded,
    CallStarted,
    Change,
    OutcomeUnknownError,
    RetryPolicy,
    RowEnded,
    Settled,
    Waiting,
)
from project_platform.otel import OpenTelemetry
from project_platform_stub import faults

AT_ONCE = RetryPolicy(initial_delay=0.0)


class Telemetry:
    """A listener with exporters in memory."""

    def __init__(self):
        self._spans = InMemorySpanExporter()
        self._metrics = InMemoryMetricReader()
        traces = TracerProvider()
        traces.add_span_processor(SimpleSpanProcessor(self._spans))
        self.tracer = traces.get_tracer("test")
        self.listener = OpenTelemetry(
            tracer_provider=traces, meter_provider=MeterProvider(metric_readers=[self._metrics])
        )

    @property
    def spans(self):
        """The finished spans by kind: calls, attempts."""
        spans = self._spans.get_finished_spans()
        return tuple([span for span in spans if span.kind is kind] for kind in (SpanKind.INTERNAL, SpanKind.CLIENT))

    def _metric_data(self):
        data = self._metrics.get_metrics_data()
        return [metric for part in data.resource_metrics for scope in part.scope_metrics for metric in scope.metrics]

    def points(self, name):
        """Return the points of a metric."""
        return [point for metric in self._metric_data() if metric.name == name for point in metric.data.data_points]

    def metrics(self):
        """Return the names of the attributes of each metric."""
        return {
            metric.name: {name for point in metric.data.data_points for name in point.attributes}
            for metric in self._metric_data()
        }


@pytest.fixture
def telemetry():
    return Telemetry()


def traceparents(stub):
    """Return the trace and the span of each request in the journal."""
    return [tuple(entry.traceparent.split("-")[1:3]) for entry in stub.world.journal]


def ids(span):
    """Return the trace and the span as a header has them."""
    return f"{span.context.trace_id:032x}", f"{span.context.span_id:016x}"


def test_each_attempt_is_a_span_below_its_call(way, stub, telemetry):
    """The attributes are those of the conventions; each attempt sends its own context."""
    stub.world.faults.plan("agents_list", faults.status(503))

    way(lambda _, project: project.agents.list().first_page(), on_event=telemetry.listener, retry=AT_ONCE)

    (call,), (first, second) = telemetry.spans
    assert (call.name, call.parent, call.status.status_code) == ("agents_list", None, StatusCode.UNSET)
    assert call.attributes["project_platform.applied"] == "yes"
    assert [span.parent.span_id for span in (first, second)] == [call.context.span_id] * 2
    assert first.name == second.name == "GET /projects/{project_id}/agents"
    project_id = way.ids["project_id"]
    assert second.attributes["url.full"] == f"{way.base_url}/projects/{project_id}/agents"
    assert second.attributes["url.template"] == "/projects/{project_id}/agents"
    assert second.attributes["http.request.method"] == "GET"
    assert (first.attributes["http.response.status_code"], second.attributes["http.response.status_code"]) == (503, 200)
    assert (first.attributes["error.type"], first.status.status_code) == ("503", StatusCode.ERROR)
    assert "error.type" not in second.attributes
    assert [span.attributes.get("http.request.resend_count") for span in (first, second)] == [None, 1]
    assert traceparents(stub) == [ids(first), ids(second)]


def test_the_span_of_a_call_is_below_that_of_the_program(way, telemetry):
    """The context of the program is neither changed nor lost."""
    with telemetry.tracer.start_as_current_span("mine") as mine:
        way(lambda _, project: project.agents.list().first_page(), on_event=telemetry.listener)
        way(lambda client, _: client.auth.check_permission("billing:manage"), on_event=telemetry.listener)

    calls, attempts = telemetry.spans
    (own,) = [span for span in calls if span.name == "mine"]
    assert [span.parent.span_id for span in calls if span is not own] == [mine.context.span_id] * 2
    assert {span.context.trace_id for span in [*calls, *attempts]} == {own.context.trace_id}


def test_a_lost_response_is_an_error_with_its_class(way, stub, telemetry):
    """The metrics count the outcome by its verdict."""
    stub.world.faults.plan("records_create", faults.drop_after_apply())

    with pytest.raises(OutcomeUnknownError):
        way(lambda _, project: project.records.create(type_slug="deal"), on_event=telemetry.listener)

    (call,), (attempt,) = telemetry.spans
    assert (attempt.attributes["error.type"], attempt.attributes["project_platform.fate"]) == (
        "ConnectionLostError",
        "lost",
    )
    assert call.attributes["error.type"] == "UnknownAfterConnectionLostError"
    assert call.attributes["project_platform.applied"] == "unknown"
    (point,) = telemetry.points("project_platform.call.duration")
    assert dict(point.attributes) == {
        "project_platform.operation": "records_create",
        "project_platform.applied": "unknown",
        "error.type": "UnknownAfterConnectionLostError",
    }


def test_durations_resends_and_waits_are_metrics(way, stub, telemetry):
    """Attempts have the attributes of the conventions, calls those of the SDK."""
    stub.world.faults.plan("agents_list", faults.status(429, retry_after=0.02, retry_after_form="milliseconds"))

    way(lambda _, project: project.agents.list().first_page(), on_event=telemetry.listener)

    requests = telemetry.points("http.client.request.duration")
    assert Counter((p.attributes["http.response.status_code"], p.count) for p in requests) == {(429, 1): 1, (200, 1): 1}
    assert {p.attributes["server.address"] for p in requests} == {
        "127.0.0.1" if not way.in_process else "stub.localhost"
    }
    (resends,) = telemetry.points("project_platform.resends")
    assert (resends.value, dict(resends.attributes)["project_platform.cause"]) == (1, "retry")
    (waits,) = telemetry.points("project_platform.wait.duration")
    assert waits.sum >= 0.02


def test_a_settled_change_is_one_span_above_its_calls(way, stub, telemetry):
    """`client.settle` has the update and the look below it, and says how the doubt was settled."""
    record = way(lambda _, project: project.records.create(type_slug="deal", data={"stage": "open"}))
    change = Change.between(record, {"stage": "won"}, project_id=stub.project.id)
    stub.world.faults.plan("records_update", faults.drop_after_apply())

    way(lambda client, _: client.settle(change), on_event=telemetry.listener, retry=AT_ONCE)

    calls, attempts = telemetry.spans
    (whole,) = [span for span in calls if span.name == "client.settle"]
    parts = [span for span in calls if span is not whole]
    assert {span.name for span in parts} == {"records_update"}
    assert {span.parent.span_id for span in parts} == {whole.context.span_id}
    assert {span.context.trace_id for span in [*calls, *attempts]} == {whole.context.trace_id}
    assert len(attempts) == 3
    assert [(event.name, dict(event.attributes)) for event in whole.events] == [
        ("project_platform.settled", {"project_platform.applied": "in effect"})
    ]
    (settled,) = telemetry.points("project_platform.settled")
    assert settled.value == 1


@pytest.mark.parametrize("backend", ["asyncio", "trio"])
def test_concurrent_calls_do_not_share_a_trace(stub, telemetry, backend):
    """20 concurrent calls with two attempts each are 60 spans in 20 traces, as the journal shows."""
    base_url = "http://stub.localhost"
    ids_of = stub.describe(base_url)
    for _ in range(20):
        stub.world.faults.plan("agents_list", faults.status(503))

    async def run():
        async with AsyncClient(
            base_url,
            token=ids_of["tokens"]["owner"],
            transport=stub.async_transport(),
            on_event=telemetry.listener,
            retry=RetryPolicy(initial_delay=0.0, max_attempts=25),
        ) as client:
            async with anyio.create_task_group() as group:
                for _ in range(20):
                    group.start_soon(client.project(ids_of["project_id"]).agents.list().first_page)

    anyio.run(run, backend=backend)

    calls, attempts = telemetry.spans
    sent = traceparents(stub)
    assert (len(calls), len(attempts)) == (20, 40)
    assert len({trace for trace, _ in sent}) == 20
    assert len({span for _, span in sent}) == 40
    assert {trace for trace, _ in sent} == {f"{span.context.trace_id:032x}" for span in calls}


DASHBOARD = Path(__file__).parents[2] / "examples/grafana_dashboard.json"
# How Prometheus names the series of a metric (OpenTelemetry specification, Prometheus compatibility).
SERIES = re.compile(r"\b((?:http_client|project_platform)_\w+?)(_seconds_bucket|_seconds_count|_seconds_sum|_total)\b")
LABEL = re.compile(r"\b(?:error_type|url_template|http_request_method|project_platform_(?:operation|applied|cause))\b")


def test_the_dashboard_shows_metrics_that_exist(telemetry):
    """Its queries use metrics and attributes of the listener."""
    call = CallContext(0, "records_update", "write", "PATCH", "/projects/{project_id}")
    for event in (
        CallStarted(call),
        Waiting(call, 1.0, 2, 429, None),
        AttemptStarted(call, 2, "retry", "https://platform.example/projects/1"),
        AttemptEnded(call, 2, "applied", 0.1, 200),
        Settled(call, "yes", 2),
        CallEnded(call, "yes", 2, 1.1),
        RowEnded(0, "yes"),
    ):
        telemetry.listener(event)
    emitted = telemetry.metrics()

    dashboard = json.loads(DASHBOARD.read_text("utf-8"))
    queries = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]

    used = {found[1] for query in queries for found in SERIES.finditer(query)}
    assert {name.replace(".", "_") for name in emitted} == used
    attributes = {name.replace(".", "_") for names in emitted.values() for name in names} | {"error_type"}
    assert {found[0] for query in queries for found in LABEL.finditer(query)} <= attributes
