"""Writes `terminal.svg` and `trace.svg`, the pictures in the guides to the shell and to traces.

It needs rich and the SDK of OpenTelemetry, which are development packages:

    .venv/bin/python docs/pictures/terminals.py
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import shlex
from pathlib import Path
from unittest import mock

from opentelemetry.sdk.trace import ReadableSpan, TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter
from rich.console import Console
from rich.text import Text
from rich.tree import Tree

from project_platform import Client, OutcomeUnknownError
from project_platform.cli import main
from project_platform.otel import OpenTelemetry
from project_platform_stub import Stub, faults

FOLDER = Path(__file__).parent
COLUMNS = 96
BOOK = "project-platform call calendar.book --summary Handover --start 2026-11-24T15:00:00Z --duration-minutes 30"
COMMANDS = ("project-platform call posts.list --output table | cut -c -94", f"{BOOK} > booking.json", BOOK)


def recorder() -> Console:
    """Return a console that records what it prints."""
    return Console(record=True, width=COLUMNS, file=io.StringIO(), force_terminal=True, color_system="truecolor")


def terminal() -> str:
    """Return the picture of a few commands and what they print."""
    console = recorder()
    stub = Stub()
    with stub.serve() as server:
        environment = {
            "PROJECT_PLATFORM_BASE_URL": server.base_url,
            "PROJECT_PLATFORM_TOKEN": stub.token(),
            "PROJECT_PLATFORM_PROJECT": stub.project.id,
        }
        with mock.patch.dict(os.environ, environment):
            for command in COMMANDS:
                console.print(Text(f"$ {command}", style="bold"))
                console.print(Text(printed(command)), end="")
    return svg(console, "project-platform")


def printed(command: str) -> str:
    """Return what a command of `project-platform` prints, in the order of a terminal."""
    arguments = shlex.split(re.split(r" [|>] ", command)[0])[1:]
    output, errors = io.StringIO(), io.StringIO()
    with contextlib.redirect_stdout(output), contextlib.redirect_stderr(errors):
        status = main(arguments)
    shown = "" if " > " in command else "".join(f"{line[:94]}\n" for line in output.getvalue().splitlines())
    reported = re.sub(r"req_\w+", "req_...", errors.getvalue())
    return shown + reported + (f"status {status}\n" if status else "")


def trace() -> str:
    """Return the picture of the spans of a change whose first response is lost, and that is settled."""
    exporter, provider = InMemorySpanExporter(), TracerProvider()
    provider.add_span_processor(SimpleSpanProcessor(exporter))
    with Stub() as stub:
        client = Client(
            "https://stub.example",
            token=stub.token(),
            project_id=stub.project.id,
            transport=stub.transport(),
            on_event=OpenTelemetry(tracer_provider=provider),
        )
        records = client.project().records
        record = records.create(type_slug="deal", data={"stage": "open"})
        exporter.clear()
        stub.world.faults.plan("records_update", faults.drop_after_apply())
        change = records.change(record, {"stage": "won"})
        with contextlib.suppress(OutcomeUnknownError):
            records.apply(change)
        settled = client.settle(change)
    console = recorder()
    spans = sorted(exporter.get_finished_spans(), key=lambda span: span.start_time or 0)
    tree = Tree(Text("your program", style="bold"))
    add(tree, spans, None)
    console.print(tree)
    console.print(Text(f"applied: {settled.applied}", style="bold"))
    return svg(console, "A trace")


def add(tree: Tree, spans: list[ReadableSpan], parent: int | None) -> None:
    """Add the spans below a span to a tree."""
    for span in spans:
        if (span.parent.span_id if span.parent else None) == parent:
            attributes = dict(span.attributes or {})
            facts = [
                f"{name.rpartition('.')[2]}={attributes[name]}"
                for name in ("http.response.status_code", "error.type", "http.request.resend_count")
                if name in attributes
            ]
            text = re.sub(r"[0-9a-f]{8}-[0-9a-f-]{27}", "...", span.name)
            context = span.get_span_context()
            add(tree.add(Text(" ".join([text, *facts]))), spans, context.span_id if context else 0)


def svg(console: Console, title: str) -> str:
    """Return what a console printed as a picture, in the fonts of the reader."""
    drawn = console.export_svg(title=title, unique_id=re.sub(r"\W", "-", title).lower())
    return re.sub(r"@font-face \{.*?\}\s*", "", drawn, flags=re.DOTALL).replace("Fira Code", "ui-monospace")


PICTURES = {"terminal.svg": terminal, "trace.svg": trace}

if __name__ == "__main__":
    for name, draw in PICTURES.items():
        (FOLDER / name).write_text(draw(), "utf-8")
