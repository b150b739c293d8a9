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

from project_platform_stub import Stub

pytestmark = pytest.mark.one_python

DOCUMENT = Path(__file__).parents[2] / "openapi.yaml"
# Fewer cases than by default, and always the same ones, so that a run takes seconds.
FEW = ["--max-examples", "3", "--seed", "1", "--generation-database", "none"]


def without_examples(node: Any) -> Any:
    """Return a document without the examples of its requests and responses, whose identifiers are those of the demo world."""
    if isinstance(node, dict):
        return {name: without_examples(member) for name, member in node.items() if name != "example"}
    return [without_examples(member) for member in node] if isinstance(node, list) else node


def test_a_run_with_a_token_ends_clean(tmp_path):
    """All checks: statuses and bodies are documented, valid requests are accepted, invalid ones and no token refused."""
    document, stub = tmp_path / "openapi.json", Stub()
    document.write_text(json.dumps(without_examples(yaml.safe_load(DOCUMENT.read_text("utf-8")))))

    with stub.serve() as server:
        target = [str(document), "--url", server.base_url, "-H", f"Authorization: Bearer {stub.token()}"]
        ended = subprocess.run(
            [sys.executable, "-m", "schemathesis.cli", "run", *target, *FEW],
            capture_output=True,
            text=True,
            check=False,
            cwd=tmp_path,
            env={**os.environ, "NO_COLOR": "1", "PYTHONHASHSEED": "0"},
        )

    assert ended.returncode == 0, ended.stdout
    assert re.search(r"Tested: +16", ended.stdout)
