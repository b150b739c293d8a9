"""The wheel, built and tested from outside the repository."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from email.parser import HeaderParser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


def environment(installed: Path) -> dict[str, str]:
    """Return an environment in which the installed packages take precedence over those of the repository."""
    return {**os.environ, "PYTHONPATH": str(installed)}


def test_the_wheel_has_the_packages_their_contract_and_their_metadata(built, installed):
    """Nothing else, no file twice, no fonts, which are an extra, and at most 2 MB: above that, decision 0046 splits the distribution."""
    files = [path for path in installed.rglob("*") if path.is_file()]
    contents = [content for path in files if (content := path.read_bytes())]
    (info,) = installed.glob("*.dist-info")
    metadata = HeaderParser().parsestr((info / "METADATA").read_text("utf-8"))
    packages = {"project_platform", "project_platform_contract", "project_platform_pytest", "project_platform_stub"}

    assert {path.name for path in installed.iterdir()} == {*packages, info.name}
    assert all((installed / package / "py.typed").exists() for package in packages)
    assert (installed / "project_platform_stub/openapi.yaml").read_bytes() == (ROOT / "openapi.yaml").read_bytes()
    assert [
        path
        for path in files
        if path.suffix in {".lock", ".ttf"} or {"tests", "benchmarks"} & set(path.parts[len(installed.parts) :])
    ] == []
    assert "[pytest11]\nproject_platform = project_platform_pytest.plugin" in (info / "entry_points.txt").read_text(
        "utf-8"
    )
    assert len(set(contents)) == len(contents)
    assert built.stat().st_size < 2_000_000
    assert metadata["Author"] == "The project-platform authors"
    assert metadata["License-Expression"] == "MIT"
    assert metadata["Requires-Python"] == ">=3.11"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert "Typing :: Typed" in metadata.get_all("Classifier")
    assert all((info / "licenses" / file).exists() for file in [*metadata.get_all("License-File"), "LICENSE"])
    assert metadata.get_payload().startswith("# project-platform\n")


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
