"""The wheel, built and tested from outside the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def installed(built: Path) -> Path:
    """Return a folder with the wheel installed, without its dependencies."""
    folder = built.with_name("site")
    with zipfile.ZipFile(built) as archive:
        archive.extractall(folder)
    return folder


def environment(installed: Path) -> dict[str, str]:
    """Return an environment in which the installed packages take precedence over those of the repository."""
    return {**os.environ, "PYTHONPATH": str(installed)}


def test_the_wheel_contains_the_packages_and_the_contract(installed):
    """SDK, stub server and pytest plugin, typed, and the contract that the stub validates against."""
    for name in (
        "project_platform/py.typed",
        "project_platform/_generated/models/agent.py",
        "project_platform_pytest/plugin.py",
        "project_platform_pytest/py.typed",
        "project_platform_stub/py.typed",
        "project_platform_stub/openapi.yaml",
    ):
        assert (installed / name).exists(), name
    assert not (installed / "codegen").exists()
    assert (installed / "project_platform_stub/openapi.yaml").read_bytes() == (ROOT / "openapi.yaml").read_bytes()


def test_the_wheel_names_its_licence_and_has_no_fonts(installed):
    """The fonts of the label sheets are an extra."""
    (folder,) = installed.glob("*.dist-info")

    assert "License-Expression: MIT\n" in (folder / "METADATA").read_text("utf-8")
    assert (folder / "licenses/LICENSE").exists()
    assert not list(installed.rglob("*.ttf"))


def test_the_installed_stub_serves_the_installed_sdk(installed, tmp_path):
    """`project-platform stub` starts from the wheel, writes its description, and the SDK of the wheel calls it."""
    described = tmp_path / "stub.json"
    command = [sys.executable, "-m", "project_platform.cli", "stub", "--port", "0", "--describe", str(described)]
    server = subprocess.Popen(command, env=environment(installed), stdout=subprocess.PIPE, text=True, cwd=tmp_path)
    try:
        deadline = time.monotonic() + 20
        while not described.exists():
            assert server.poll() is None
            assert time.monotonic() < deadline
            time.sleep(0.05)
        ids = json.loads(described.read_text("utf-8"))
        code = (
            "import project_platform, sys; from project_platform import Client\n"
            f"c = Client({ids['base_url']!r}, token={ids['tokens']['viewer']!r})\n"
            f"print(len(list(c.project({ids['project_id']!r}).agents.list(limit=2))), project_platform.__file__)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code],
            env=environment(installed),
            cwd=tmp_path,
            capture_output=True,
            text=True,
            check=True,
        )
    finally:
        server.terminate()
        server.communicate(timeout=20)
    count, file = done.stdout.split()
    assert int(count) == len(ids["agents"])
    assert file.startswith(str(installed))
    assert server.returncode == 0


@pytest.mark.parametrize(("command", "missing", "code"), [("stub", "uvicorn", 1), ("contract", "joserfc", 2)])
def test_a_missing_extra_is_named(installed, tmp_path, command, missing, code):
    """Without a dependency of the stub, each command that runs one names the package to install, once."""
    (tmp_path / f"{missing}.py").write_text(f"raise ModuleNotFoundError('gone', name={missing!r})")
    done = subprocess.run(
        [sys.executable, "-m", "project_platform.cli", command],
        env={**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{installed}"},
        capture_output=True,
        text=True,
        timeout=30,
        check=False,
    )

    assert done.returncode == code
    assert (done.stdout + done.stderr).count("pip install 'project-platform[stub]'") == 1


def test_the_installed_suite_proves_rules(installed, tmp_path):
    """`project-platform contract` finds its tests, contract, schemas and template in the wheel."""
    command = [sys.executable, "-m", "project_platform_contract.cli", "-k", "test_agents", "--report", "report"]

    done = subprocess.run(
        command, env=environment(installed), cwd=tmp_path, capture_output=True, text=True, check=False
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in (tmp_path / "report").iterdir()} >= {"report.json", "report.md", "report.html"}
