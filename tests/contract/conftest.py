"""A stub on a socket, and the command that proves rules on it, each in another process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
import yaml

from project_platform_contract.data.stub_data import data_members
from project_platform_contract.operations import operations
from project_platform_stub import Stub
from project_platform_stub.world.journal import Entry

from . import forked

RUN_TIMEOUT = 300  # Seconds; a run takes a few on an idle machine.
EFFECTS = {operation.id: operation.effect for operation in operations()}


@dataclass
class ServedStub:
    """A stub on a socket, which serves as the deployment."""

    stub: Stub
    base_url: str

    @property
    def journal(self) -> list[Entry]:
        """All requests that the stub received, with a valid token or without."""
        return [*self.stub.world.journal, *self.stub.unmatched_requests]

    @property
    def non_read_requests(self) -> list[Entry]:
        """Received requests that address no operation, or one that does more than read."""
        return [
            entry
            for entry in self.journal
            if EFFECTS.get(entry.operation or "", "irreversible") != "read"
            and (entry.method, entry.path) not in {("GET", "/api/auth/token"), ("GET", "/api/auth/jwks")}
        ]

    def data(self) -> dict[str, Any]:
        return data_members(self.stub.describe(self.base_url))


@dataclass
class RunResult:
    """The result of a run that ended."""

    code: int
    out: str
    err: str
    folder: Path

    @property
    def report(self) -> dict[str, Any]:
        return json.loads((self.folder / "report.json").read_text("utf-8"))

    @property
    def rules(self) -> dict[str, dict[str, Any]]:
        """All rules of the report that are not waived, inferred or not, by identifier."""
        return {rule["id"]: rule for rule in (*self.report["rules"], *self.report["inferred"])}

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each of these rules."""
        return {id: rule["verdict"] for id, rule in self.rules.items()}

    @property
    def wrong(self) -> list[str]:
        """The violated ones of these rules, and the broken tests."""
        violated = [id for id, verdict in self.verdicts.items() if verdict == "violated"]
        return violated + [broken["test"] for broken in self.report["broken"]]


def write_data(folder: Path, members: dict[str, Any], tokens: dict[str, str]) -> dict[str, str]:
    """Write the data file `data.yaml`, and return the variables that have the tokens."""
    named = {identity: f"TRIAL_{identity.upper()}" for identity in tokens if identity != "owner"}
    (folder / "data.yaml").write_text(yaml.safe_dump({"token_variables": named, **members}), "utf-8")
    return {f"TRIAL_{identity.upper()}": token for identity, token in tokens.items()}


WITH_DATA = ("--token-env", "TRIAL_OWNER", "--data", "data.yaml")
"""Arguments that use what `write_data` has written."""


@pytest.fixture
def served() -> Iterator[ServedStub]:
    stub = Stub()
    with stub.serve() as server:
        yield ServedStub(stub, server.base_url)


Prove = Callable[..., RunResult]


@pytest.fixture
def prove(tmp_path: Path) -> Prove:
    """Returns a function that runs `project-platform contract` with arguments, in an empty folder."""

    def prove(*arguments: str, environment: dict[str, str] | None = None) -> RunResult:
        inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PROJECT_"))}
        environment = {**inherited, "COLUMNS": "200", **(environment or {})}
        code, out, err = forked.run(arguments, tmp_path, environment, RUN_TIMEOUT)
        return RunResult(code, out, err, tmp_path / "contract-report")

    return prove


@pytest.fixture
def prove_on(prove: Prove, served: ServedStub, tmp_path: Path) -> Prove:
    """Returns the same for the stub on the socket, as its owner and with complete data."""
    tokens = write_data(tmp_path, served.data(), served.stub.describe(served.base_url)["tokens"])

    def prove_on(*arguments: str, environment: dict[str, str] | None = None) -> RunResult:
        return prove(served.base_url, *WITH_DATA, *arguments, environment=tokens | (environment or {}))

    return prove_on


@pytest.fixture
def run_tests(tmp_path: Path) -> Callable[..., subprocess.CompletedProcess[str]]:
    """Returns a function that runs own tests with the plugin of the suite, which writes to the folder `report`."""

    def run_tests(text: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
        (tmp_path / "test_own.py").write_text(text, "utf-8")
        plugin = ("-p", "no:cacheprovider", "-p", "project_platform_contract.run.plugin")
        return subprocess.run(
            [sys.executable, "-m", "pytest", *plugin, "--contract-report", "report", *arguments],
            cwd=tmp_path,
            env={**os.environ, "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1", **environment},
            capture_output=True,
            text=True,
            check=False,
        )

    return run_tests
