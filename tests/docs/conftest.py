"""The built site, and a stub server with the environment variables and the file that the documentation uses."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from project_platform_stub import Stub

ROOT = Path(__file__).parents[2]
BUILD_TIMEOUT = 300  # Seconds
PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, without environment variables that name a service."""
    monkeypatch.chdir(tmp_path)
    for name in ("BASE_URL", "TOKEN", "PROJECT", "LOG"):
        monkeypatch.setenv(f"PROJECT_PLATFORM_{name}", "")  # otherwise what a test sets would remain set after it
        monkeypatch.delenv(f"PROJECT_PLATFORM_{name}")
    for name in PROXIES:
        monkeypatch.delenv(name, raising=False)
    return tmp_path


@pytest.fixture
def service(workplace: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stub]:
    """A stub server on a socket, described by environment variables and by `stub.json`."""
    stub = Stub()
    with stub.serve() as server:
        description = stub.describe(server.base_url)
        (workplace / "stub.json").write_text(json.dumps(description), "utf-8")
        monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", server.base_url)
        monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", description["tokens"]["owner"])
        monkeypatch.setenv("PROJECT_PLATFORM_PROJECT", description["project_id"])
        yield stub


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the documentation, built without a warning; processes of pytest-xdist share it."""
    base = tmp_path_factory.getbasetemp()
    shared = base.parent if "PYTEST_XDIST_WORKER" in os.environ else base
    folder, log, partial = shared / "site", shared / "site.log", shared / "site.partial"
    try:
        (shared / "site.lock").mkdir()
    except FileExistsError:
        until = time.monotonic() + BUILD_TIMEOUT
        while not log.exists():
            assert time.monotonic() < until, "another process has not built the site in time"
            time.sleep(0.2)
    else:
        built = subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(folder)],
            cwd=ROOT,
            env={**os.environ, "NO_MKDOCS_2_WARNING": "1"},
            capture_output=True,
            text=True,
            check=False,
        )
        partial.write_text(f"exit status {built.returncode}\n{built.stderr}", "utf-8")
        partial.rename(log)
    text = log.read_text("utf-8")
    # With `--quiet`, `--strict` would not count the warnings.
    assert text.startswith("exit status 0\n"), text
    assert "WARNING" not in text
    return folder
