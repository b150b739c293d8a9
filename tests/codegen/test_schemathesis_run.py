"""`schemathesis run`, as users start it, finds nothing in the stub server and its document."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
import yaml

from codegen.generate import DOCUMENT
from project_platform_stub import Stub

# Fewer cases than by default, and always the same ones, so that a run takes seconds.
FEW = ["--max-examples", "3", "--seed", "1", "--generation-database", "none"]


@pytest.fixture
def run(tmp_path):
    """Return a function that runs schemathesis with a token against a new stub server, and returns what it printed."""

    def run(stub: Stub, configuration: str, *arguments: str, document: Path = DOCUMENT) -> str:
        (tmp_path / "schemathesis.toml").write_text(configuration)
        with stub.serve() as server:
            target = [str(document), "--url", server.base_url, "-H", f"Authorization: Bearer {stub.token()}"]
            ended = subprocess.run(
                [sys.executable, "-m", "schemathesis.cli", "run", *target, *FEW, *arguments],
                capture_output=True,
                text=True,
                check=False,
                cwd=tmp_path,
                env={**os.environ, "COLUMNS": "200", "NO_COLOR": "1"},
            )
        assert ended.returncode == 0, ended.stdout
        return ended.stdout

    return run


def test_a_run_with_only_a_token_ends_clean(run, tmp_path):
    """All checks: statuses and bodies are documented, valid requests are accepted, invalid ones and no token refused.

    Without the examples of the document, whose identifiers are those of the demo world.
    """
    document = tmp_path / "openapi.json"
    document.write_text(json.dumps(without_examples(yaml.safe_load(DOCUMENT.read_text("utf-8")))))

    assert re.search(r"Tested: +16", run(Stub(), "", document=document))


def without_examples(node: Any) -> Any:
    """Return a document without the examples of its requests and responses."""
    if isinstance(node, dict):
        return {name: without_examples(member) for name, member in node.items() if name != "example"}
    return [without_examples(member) for member in node] if isinstance(node, list) else node


def test_a_run_with_identifiers_that_exist_ends_clean(run):
    """With them, requests reach the operations; the check that every valid request is accepted is left out.

    No schema says which timestamps, types and items exist. `tests/stub/fuzzing` has the reason for each refusal.
    """
    stub = Stub()
    project = stub.project
    (account,) = [account["id"] for account in project.accounts.values() if account["platform"] == "photonet"]
    configuration = "\n".join(
        [
            "[parameters]",
            f'projectId = "{project.id}"',
            f'recordId = "{next(iter(project.records))}"',
            f'eventId = "{next(iter(project.events))}"',
            f'templateId = "{next(iter(project.templates))}"',
            f'slug = "{next(iter(project.memory))}"',
            f'postId = "{next(iter(project.posts))}"',
            f'accountId = "{account}"',
        ]
    )

    run(stub, configuration, "--exclude-checks", "positive_data_acceptance", "--phases", "examples,coverage,fuzzing")

    accepted = {entry.operation for entry in stub.world.journal if entry.status and entry.status < 300}
    assert len(accepted) > 10
