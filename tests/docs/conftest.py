"""A stub server with the environment variables and the file that the documentation uses."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from project_platform_stub import Stub

PROXIES = ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY")


@pytest.fixture
def workplace(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An empty working directory, without environment variables that name a service."""
    monkeypatch.chdir(tmp_path)
    for name in ("BASE_URL", "TOKEN", "PROJECT", "LOG"):
        monkeypatch.delenv(f"PROJECT_PLATFORM_{name}", raising=False)
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
