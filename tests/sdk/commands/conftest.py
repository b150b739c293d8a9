"""`project-platform` in this process, against a stub server on a socket; no output of it has a token."""

from __future__ import annotations

import io
from typing import NamedTuple

import pytest

from project_platform.cli import main
from project_platform_stub import Profile, Stub


class Run(NamedTuple):
    """The end of a command."""

    status: int
    out: str
    err: str


@pytest.fixture
def workplace(monkeypatch, tmp_path):
    """An empty working directory and home, without environment variables of the SDK."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "100")
    for name in ("CONFIG", "STATE"):
        monkeypatch.delenv(f"XDG_{name}_HOME", raising=False)
    return tmp_path


@pytest.fixture
def config(workplace):
    """Return a function that writes the configuration file, for this user alone."""
    folder = workplace / ".config/project-platform"
    folder.mkdir(parents=True)

    def config(text: str) -> None:
        (folder / "config.toml").write_text(text)
        (folder / "config.toml").chmod(0o600)

    return config


@pytest.fixture
def profile():
    return Profile()


@pytest.fixture
def stub(monkeypatch, workplace, profile):
    """A stub server, described by the environment."""
    stub = Stub(profile=profile)
    with stub.serve() as server:
        monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", server.base_url)
        monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", stub.token())
        monkeypatch.setenv("PROJECT_PLATFORM_PROJECT", stub.project.id)
        yield stub


@pytest.fixture
def run(capsys, monkeypatch):
    """Return a function that runs a command; at the end, nothing that commands printed may have a token."""
    printed = []

    def run(*arguments: str, stdin: str | bytes = b"") -> Run:
        data = stdin.encode() if isinstance(stdin, str) else stdin
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(data)))
        try:
            status = main(arguments)
        except SystemExit as end:  # argparse
            status = end.code
        captured = capsys.readouterr()
        printed.append(captured.out + captured.err)
        return Run(status, captured.out, captured.err)

    yield run
    assert "eyJ" not in "".join(printed)  # every JSON Web Token begins with it
