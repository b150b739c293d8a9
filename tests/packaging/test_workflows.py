"""The examples of jobs run."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest
import yaml

from project_platform import Client
from project_platform_stub import Stub

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(("file", "program"), [("stub-container.yml", "jq"), ("gitlab-stub.yml", "node")])
def test_a_job_with_the_stub_as_a_service_gets_a_token_and_a_project(file, program, tmp_path):
    """Each run creates a world; the steps that follow find its token and its project in their environment."""
    for name in ("bash", "curl", program):
        if shutil.which(name) is None:
            pytest.skip(f"{name} is not installed")
    job = yaml.safe_load((ROOT / "examples/ci" / file).read_text("utf-8"))
    job = job.get("jobs", job)["tests"]
    lines = job.get("script") or [step["run"] for step in job["steps"] if "run" in step]
    assert lines[-1] == "npm test"
    stub = Stub()

    with stub.serve() as server:
        address = {"PROJECT_PLATFORM_BASE_URL": server.base_url, "GITHUB_ENV": str(tmp_path / "github")}
        script = "\n".join(["set -eu", *lines[:-1], 'env >> "$GITHUB_ENV"'])
        subprocess.run(["bash", "-c", script], cwd=tmp_path, env={**os.environ, **address}, check=True)
        found = dict(
            line.split("=", 1) for line in (tmp_path / "github").read_text("utf-8").splitlines() if "=" in line
        )
        token, project = found["PROJECT_PLATFORM_TOKEN"], found["PROJECT_PLATFORM_PROJECT"]
        with Client(server.base_url, token=token, project_id=project) as client:
            assert len(client.project().agents.list().to_list()) > 0

    assert [entry.operation for entry in stub.world.journal] == []
