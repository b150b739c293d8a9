"""The workflows of the forges call what the repository has, with as few permissions as possible."""

from __future__ import annotations

import itertools
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from project_platform import Client
from project_platform_stub import Stub

ROOT = Path(__file__).parents[2]
WORKFLOWS = sorted((ROOT / ".github/workflows").glob("*.yml"))
TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE))


def commands(node: Any) -> list[str]:
    """Return the shell commands of a workflow."""
    if isinstance(node, dict):
        own = [str(node[key]) for key in ("run", "script") if isinstance(node.get(key), str)]
        return own + [command for value in node.values() for command in commands(value)]
    return [command for value in node for command in commands(value)] if isinstance(node, list) else []


@pytest.mark.parametrize("path", [*WORKFLOWS, ROOT / ".gitlab-ci.yml"], ids=lambda path: path.name)
def test_the_make_targets_of_a_workflow_exist(path):
    """So that a failure can be repeated with the same command on any machine."""
    called = {
        word
        for command in commands(yaml.safe_load(path.read_text("utf-8")))
        for line in re.findall(r"\bmake ([^\n&|;]*)", command)
        for word in line.split()
        if "=" not in word
    }

    assert called <= TARGETS


@pytest.mark.parametrize("path", [".github/workflows/tests.yml", ".gitlab-ci.yml"])
def test_the_tests_of_a_change_call_make(path):
    """The checks, the tests, the lowest versions, the distribution and the advisories, on both forges."""
    called = " ".join(commands(yaml.safe_load((ROOT / path).read_text("utf-8"))))

    checks = ["lint", "types", "platforms", "generated", "layers"]
    for target in [*checks, "unit", "lowest", "release-check", "core", "api", "audit"]:
        assert target in called.split(), target


@pytest.mark.parametrize("path", WORKFLOWS, ids=lambda path: path.name)
def test_a_workflow_states_its_permissions(path):
    """The permissions of the token are stated at the top, and nothing is written there."""
    permissions = yaml.safe_load(path.read_text("utf-8"))["permissions"]

    assert set(permissions.values()) <= {"read"}


def test_only_the_job_that_publishes_can_publish():
    """It builds nothing, uses no stored secret, and waits for the environment `release`."""
    text = (ROOT / ".github/workflows/release.yml").read_text("utf-8")
    jobs = yaml.safe_load(text)["jobs"]

    assert "secrets." not in text
    assert jobs["publish"]["environment"] == "release"
    assert jobs["publish"]["needs"] == "build"
    assert not any("make" in command for command in commands(jobs["publish"]))


def test_the_image_of_the_stub_server_has_the_versions_of_the_lock():
    """Each command that installs has the hashes of a lock, or takes its versions and hashes from it, also those of the build."""
    text = (ROOT / "server_stub/Dockerfile").read_text("utf-8").replace("\\\n", "")
    installs = re.findall(r"pip install [^&\n]*", text)

    assert len(installs) == 2
    for words in map(str.split, installs):
        options = dict(itertools.pairwise(words))
        locks = {options.get("--constraint"), options.get("--build-constraint")}
        if "--require-hashes" in words:
            locks = {options["--requirement"]}
        assert all(lock is not None and lock.endswith(".lock") and (ROOT / lock).is_file() for lock in locks), words


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
