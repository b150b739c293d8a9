"""A stub on a socket, and the command that proves rules on it, each in another process."""

from __future__ import annotations

import json
import os
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
        """Return the members of a data file for the stub."""
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
        """The JSON report."""
        return json.loads((self.folder / "report.json").read_text("utf-8"))

    @property
    def verdicts(self) -> dict[str, str]:
        """The verdict on each rule, inferred or not."""
        return {rule["id"]: rule["verdict"] for rule in (*self.report["rules"], *self.report["inferred"])}


@pytest.fixture
def served() -> Iterator[ServedStub]:
    """A stub on a socket."""
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
    tokens = served.stub.describe(served.base_url)["tokens"]
    variables = {identity: f"TRIAL_{identity.upper()}" for identity in tokens}
    values = served.data() | {"token_variables": {key: name for key, name in variables.items() if key != "owner"}}
    (tmp_path / "data.yaml").write_text(yaml.safe_dump(values), "utf-8")

    def prove_on(*arguments: str, environment: dict[str, str] | None = None) -> RunResult:
        tokens_by_variable = {variables[identity]: token for identity, token in tokens.items()} | (environment or {})
        return prove(
            served.base_url,
            "--token-env",
            "TRIAL_OWNER",
            "--data",
            "data.yaml",
            *arguments,
            environment=tokens_by_variable,
        )

    return prove_on
