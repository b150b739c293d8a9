"""`project-platform contract`: where the URL, the project and the token are from."""

from __future__ import annotations

import os

import pytest

from project_platform_contract import cli
from project_platform_contract.run.exit_code import ExitCode

PROFILE = """
[staging]
base_url = "https://staging.example"
project = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
token_file = "token"

[bare]
project = "0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11"
"""


@pytest.fixture
def started(monkeypatch, tmp_path):
    """The arguments with which the suite is started, in place of a run."""
    folder = tmp_path / "project-platform"
    folder.mkdir()
    (folder / "config.toml").write_text(PROFILE)
    (folder / "token").write_text("t0ken\n")
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path))
    monkeypatch.setenv("PROJECT_PLATFORM_TOKEN", "")
    started: list[str] = []

    def start(arguments: list[str], **_: object) -> pytest.ExitCode:
        started.extend(arguments)
        return pytest.ExitCode.OK

    monkeypatch.setattr(cli.pytest, "main", start)
    return started


def test_a_profile_has_the_deployment_and_its_token(started):
    cli.main(["--profile", "staging"])

    assert "--contract-url=https://staging.example" in started
    assert "--contract-project=0b9c4c6e-5d0e-4c39-9a53-3f1f5d3d0b11" in started
    assert os.environ["PROJECT_PLATFORM_TOKEN"] == "t0ken"


def test_arguments_and_the_environment_take_precedence(started, monkeypatch):
    """A data file names its project."""
    monkeypatch.setenv("OWNER", "of-the-environment")
    cli.main(["--profile", "staging", "--token-env", "OWNER", "--data", "data.yaml"])

    assert not any(argument.startswith("--contract-project") for argument in started)
    assert os.environ["OWNER"] == "of-the-environment"
    assert os.environ["PROJECT_PLATFORM_TOKEN"] == ""


def test_without_a_url_the_deployment_of_the_environment_is_the_target(started, monkeypatch):
    monkeypatch.setenv("PROJECT_PLATFORM_BASE_URL", "https://environment.example")
    cli.main([])
    cli.main(["--stub", "in-process"])

    assert [argument for argument in started if argument.startswith(("--contract-url", "--contract-stub"))] == [
        "--contract-url=https://environment.example",
        "--contract-stub=in-process",
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["https://other.example", "--profile", "staging"], "give a URL or --profile, not both"),
        (["--profile", "bare"], "profile 'bare' has no base_url"),
        (["--profile", "stagin"], "did you mean staging?"),
    ],
)
def test_a_profile_that_cannot_be_used_starts_nothing(started, capsys, arguments, message):
    """A token is not sent to another service."""
    assert cli.main(arguments) == ExitCode.WRONG_USE
    assert message in capsys.readouterr().err
    assert started == []
