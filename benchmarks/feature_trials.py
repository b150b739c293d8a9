"""Runs the lines of `features.toml` for one SDK against a local server, and prints the cells of its column as JSON.

    python -m benchmarks.feature_trials NAME

It runs in the interpreter that has the SDK: see `features.py`.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import importlib.metadata
import io
import json
import logging
import os
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import SimpleNamespace
from typing import Any, NamedTuple
from urllib.parse import urlsplit

from .feature_checks import Trial, judged
from .feature_server import Server

FILE = Path(__file__).with_name("features.toml")
PROJECT = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
KEY = "key-s3cret-0002"
COMMAND = ["printf", "from-a-command"]
Names = dict[str, Any]


class Sdk(NamedTuple):
    """An SDK: its distribution and package, the names that its lines use, and a status that it answers with another attempt."""

    distribution: str
    package: str
    prepare: Callable[[Server], Names]
    busy_status: int = 429


def shell(*command: str) -> subprocess.CompletedProcess[str]:
    """Run a command of the environment of this interpreter."""
    folder = str(Path(sys.executable).parent)
    path = os.pathsep.join([folder, os.environ["PATH"]])
    return subprocess.run(
        command, env={**os.environ, "PATH": path}, capture_output=True, text=True, check=False, timeout=60
    )


def token_of_command() -> str:
    """Run the command that prints a token."""
    return subprocess.run(COMMAND, capture_output=True, text=True, check=True).stdout


def _loaded(module: str, *names: str) -> Names:
    loaded = importlib.import_module(module)
    return {name: getattr(loaded, name) for name in names}


def _project_platform(server: Server) -> Names:
    platform: Any = importlib.import_module("project_platform")
    os.environ |= {
        "PROJECT_PLATFORM_BASE_URL": server.url,
        "PROJECT_PLATFORM_TOKEN": KEY,
        "PROJECT_PLATFORM_PROJECT": PROJECT,
    }
    Path("config.toml").write_text(
        f'[staging]\nbase_url = "{server.url}"\nproject = "{PROJECT}"\ntoken_command = {json.dumps(COMMAND)}\n', "utf-8"
    )

    def from_profile(name: str, path: str) -> Any:
        for variable in ("BASE_URL", "TOKEN", "PROJECT"):
            del os.environ[f"PROJECT_PLATFORM_{variable}"]
        return platform.Client.from_profile(name, path=path)

    client = platform.Client(server.url, token=KEY, project_id=PROJECT)
    return {
        **_loaded("project_platform.otel", "OpenTelemetry"),
        "client": client,
        "project": client.project(),
        "Client": SimpleNamespace(from_profile=from_profile),
        "listening": lambda listener: platform.Client(
            server.url, token=KEY, project_id=PROJECT, on_event=listener
        ).project(),
    }


def _pyairtable(server: Server) -> Names:
    package: Any = importlib.import_module("pyairtable")
    command: Any = importlib.import_module("pyairtable.cli")
    orm: Any = importlib.import_module("pyairtable.orm")
    # The command line has no option for the address of the service.
    package.Api.__init__.__kwdefaults__["endpoint_url"] = server.url
    api = package.Api(KEY)
    meta = type("Meta", (), {"api_key": KEY, "base_id": "app1", "table_name": "Deals"})
    deal = type("Deal", (orm.Model,), {"Meta": meta, "Name": orm.fields.TextField("Name")})

    def command_line(*arguments: str) -> SimpleNamespace:
        output = io.StringIO()
        with contextlib.redirect_stdout(output):
            command.cli.main(["--key", KEY, *arguments], standalone_mode=False)
        return SimpleNamespace(returncode=0, stdout=output.getvalue(), stderr="")

    base = api.base("app1")
    names = {"api": api, "base": base, "table": base.table("Deals"), "Api": package.Api, "Deal": deal}
    return {**names, "command_line": command_line, **_requests_spans()}


def _requests_spans() -> Names:
    return _loaded("opentelemetry.instrumentation.requests", "RequestsInstrumentor")


def _stripe(server: Server) -> Names:
    stripe: Any = importlib.import_module("stripe")
    session = importlib.import_module("requests").Session()
    client = stripe.StripeClient(
        KEY,
        base_addresses={"api": server.url},
        http_client=stripe.RequestsClient(session=session),
        max_network_retries=2,
    )
    return {"client": client, "session": session, "StripeClient": stripe.StripeClient, **_requests_spans()}


def _openai(server: Server) -> Names:
    openai: Any = importlib.import_module("openai")
    http: Any = importlib.import_module("httpx2")

    def client(**options: Any) -> Any:
        return openai.OpenAI(api_key=KEY, admin_api_key=KEY, base_url=server.url, **options)

    return {
        "client": client(),
        "OpenAI": openai.OpenAI,
        "hooked": lambda hooks: client(http_client=http.Client(event_hooks=hooks)),
        **_loaded("opentelemetry.instrumentation.openai_v2", "OpenAIInstrumentor"),
    }


def _azure(server: Server) -> Names:
    core: Any = importlib.import_module("azure.core")
    policies: Any = importlib.import_module("azure.core.pipeline.policies")
    rest: Any = importlib.import_module("azure.core.rest")
    credentials: Any = importlib.import_module("azure.core.credentials")

    def send(method: str, path: str, *more: Any, json: Any = None) -> Any:
        key = policies.AzureKeyCredentialPolicy(credentials.AzureKeyCredential(KEY), "Authorization", prefix="Bearer")
        before = [policies.RetryPolicy(), policies.NetworkTraceLoggingPolicy(logging_enable=True)]
        chain = [*before, *([] if any(type(one) is type(key) for one in more) else [key]), *more]
        request = rest.HttpRequest(method, f"{server.url}{path}", json=json)
        response = core.PipelineClient(server.url, policies=chain).send_request(request)
        response.raise_for_status()
        return response

    return {
        "get": lambda path, *more: send("GET", path, *more),
        "post": lambda path, content: send("POST", path, json=content),
        **_loaded("azure.core.settings", "settings"),
        **_loaded("azure.core.credentials", "AzureKeyCredential"),
        **_loaded(
            "azure.core.pipeline.policies", "AzureKeyCredentialPolicy", "CustomHookPolicy", "DistributedTracingPolicy"
        ),
    }


def _simple_salesforce(server: Server) -> Names:
    requests: Any = importlib.import_module("requests")
    package: Any = importlib.import_module("simple_salesforce")

    class WithoutTls(requests.adapters.HTTPAdapter):  # type: ignore[misc]  # the package is imported late
        """Sends over http what the SDK sends over https."""

        def send(self, request: Any, **options: Any) -> Any:
            request.url = f"{server.url}{urlsplit(request.url).path}?{urlsplit(request.url).query}"
            return super().send(request, **options)

    session = requests.Session()
    session.mount("https://", WithoutTls())
    sf = package.Salesforce(session_id=KEY, instance_url=server.url, session=session)
    return {"sf": sf, "session": session, "Salesforce": package.Salesforce, **_requests_spans()}


SDKS = {
    "project-platform": Sdk("project-platform", "project_platform", _project_platform),
    "pyairtable": Sdk("pyairtable", "pyairtable", _pyairtable),
    "stripe": Sdk("stripe", "stripe", _stripe, 503),
    "openai": Sdk("openai", "openai", _openai),
    "azure-core": Sdk("azure-core", "azure", _azure),
    "simple-salesforce": Sdk("simple-salesforce", "simple_salesforce", _simple_salesforce),
}


class _Records(logging.Handler):
    def __init__(self, records: list[logging.LogRecord]) -> None:
        super().__init__(logging.DEBUG)
        self._records = records

    def emit(self, record: logging.LogRecord) -> None:
        self._records.append(record)


def run(feature: Names, sdk: Sdk, line: str, exporter: Any) -> Names:
    """Run a line, and return the cell: the verdict and what was observed."""
    server = Server(feature.get("mode", "ok"), sdk.busy_status)
    trial = Trial(server, KEY, sdk.package)
    exporter.clear()
    pandas: Any = importlib.import_module("pandas")
    frame = pandas.DataFrame({"id": ["crm-1", "crm-2"], "title": ["Roof", "Solar"], "amount": [1200.5, None]})
    common = {"pd": pandas, "frame": frame, "seen": trial.seen, "shell": shell, "URL": server.url, "KEY": KEY}
    error: Exception | None = None
    names = {**sdk.prepare(server), **common, "token_of_command": token_of_command}
    root, handler = logging.getLogger(), _Records(trial.records)
    root.addHandler(handler)
    root.setLevel(logging.DEBUG)
    try:
        trial.value = _value(line, names)
        if "second" in feature:
            server.mode = feature["second"]
            trial.second = _value(line, names)
    except Exception as raised:  # noqa: BLE001  # what a line raises is the finding
        error = raised
    root.removeHandler(handler)
    trial.spans = list(exporter.get_finished_spans())
    verdict, observed = judged(feature["id"], trial, error)
    return {"line": line, "verdict": verdict, "observed": observed}


def _value(line: str, names: Names) -> Any:
    *statements, last = ast.parse(line).body
    exec(compile(ast.Module(statements, []), "line", "exec"), names)  # the lines of features.toml
    assert isinstance(last, ast.Expr)
    return eval(compile(ast.Expression(last.value), "line", "eval"), names)  # as above


def _exporter() -> Any:
    """Return an exporter that has all spans of this process."""
    api: Any = importlib.import_module("opentelemetry.trace")
    sdk: Any = importlib.import_module("opentelemetry.sdk.trace")
    export: Any = importlib.import_module("opentelemetry.sdk.trace.export")
    memory: Any = importlib.import_module("opentelemetry.sdk.trace.export.in_memory_span_exporter")
    exporter = memory.InMemorySpanExporter()
    provider = sdk.TracerProvider()
    provider.add_span_processor(export.SimpleSpanProcessor(exporter))
    api.set_tracer_provider(provider)
    return exporter


def main() -> None:
    """Run all lines of one SDK."""
    name = sys.argv[1]
    sdk = SDKS[name]
    features = tomllib.loads(FILE.read_text("utf-8"))["feature"]
    exporter = _exporter()
    with tempfile.TemporaryDirectory() as folder, contextlib.chdir(folder):
        cells = {
            feature["id"]: run(feature, sdk, feature["lines"][name], exporter)
            for feature in features
            if name in feature["lines"]
        }
    print(json.dumps({"version": importlib.metadata.version(sdk.distribution), "cells": cells}))


if __name__ == "__main__":
    main()
