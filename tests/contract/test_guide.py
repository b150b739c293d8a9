"""Compares the guide with the suite, and runs its example."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

import project_platform_contract
from project_platform_contract.cli import main
from project_platform_contract.data.data_file import load_data
from project_platform_contract.run.exit_code import ExitCode
from project_platform_contract.schema import problem_of

GUIDE = Path(__file__).parents[2] / "docs" / "guides" / "contract.md"
SCHEMA = Path(project_platform_contract.__file__).parent / "data/data.schema.json"


def rows(header: str) -> list[list[str]]:
    """Return the cells of the table that begins with a header."""
    table = GUIDE.read_text("utf-8").partition(f"| {header} |")[2].partition("\n\n")[0]
    return [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()[2:]]


@pytest.fixture
def help_text(capsys):
    """Output of `project-platform contract --help`."""
    with pytest.raises(SystemExit):
        main(["--help"])
    return capsys.readouterr().out


def test_the_options_are_those_of_the_command(help_text):
    options = set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", help_text)) - {"-h", "--help"}

    assert {row[0].strip("`") for row in rows("Option | Meaning | Default")} == options - {"--contract-fuzz"}


def test_the_exit_codes_are_those_of_the_command(help_text):
    meanings = {int(code): meaning for code, meaning in rows("Exit code | Meaning")}

    assert set(meanings) == {int(code) for code in ExitCode}
    assert all(meaning in help_text for meaning in meanings.values())


def test_the_members_are_those_of_the_data_file():
    """As are the identities whose tokens it may name."""
    schema = json.loads(SCHEMA.read_text("utf-8"))["properties"]
    table = rows("Member | Meaning")
    members = {name for row in table for name in re.findall(r"`(\w+)`", row[0])}
    identities = next(row[1] for row in table if row[0] == "`token_variables`")

    assert members == set(schema)
    assert set(re.findall(r"`(\w+)`", identities)) == set(schema["token_variables"]["propertyNames"]["enum"])


def blocks(title=""):
    """Return the shell commands of the guide, or of a section, by block."""
    return re.findall(r"```sh\n(.*?)```", GUIDE.read_text("utf-8").partition(title)[2], re.DOTALL)


def shell(script, folder, environment=None):
    """Run commands as a reader would."""
    inherited = {name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PROJECT_"))}
    path = f"{Path(sys.executable).parent}{os.pathsep}{inherited['PATH']}"
    return subprocess.run(
        ["bash", "-c", f"set -e\n{script}"],
        cwd=folder,
        env={**inherited, "PATH": path, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
    )


def test_the_first_two_commands_prove_rules_on_a_stub(served, tmp_path):
    """As they are in the guide, with the variables that the stub prints; both only read."""
    environment = {
        "PROJECT_PLATFORM_BASE_URL": served.base_url,
        "PROJECT_PLATFORM_PROJECT": served.stub.project.id,
        "PROJECT_PLATFORM_TOKEN": served.stub.tokens.valid("owner"),
    }

    run = shell(next(iter(blocks("# The contract suite"))), tmp_path, environment)

    assert run.returncode == ExitCode.PROVEN, run.stdout + run.stderr
    assert served.non_read_requests == []
    assert load_data(tmp_path / "contract.yaml")["agents"] == list(served.stub.project.agents)
    assert re.fullmatch(
        r"\d+ of \d+ rules proven, 0 violated, \d+ not run \(they need: .+\)", run.stdout.splitlines()[-1]
    )


def test_the_example_proves_rules_on_a_stub(served, tmp_path):
    """Runs the last commands under "Try it", with a stub that is already running."""
    (tmp_path / "stub.json").write_text(json.dumps(served.stub.describe(served.base_url)), "utf-8")
    stub, *commands = next(block for block in blocks("## Try it") if "--describe" in block).strip().splitlines()
    assert stub == "project-platform stub --describe stub.json &"

    run = shell("\n".join(commands).replace("http://127.0.0.1:8080", served.base_url), tmp_path)

    assert run.returncode == ExitCode.PROVEN, run.stdout + run.stderr
    assert served.non_read_requests == []
    listed = {path.name for path in (tmp_path / "contract-report").iterdir()}
    assert listed >= {"report.html", "report.md", "report.json", "facts.json"}
    assert problem_of("report", json.loads((tmp_path / "contract-report" / "report.json").read_text("utf-8"))) is None


def test_the_stub_prints_the_variables_of_the_first_commands(tmp_path):
    """Runs the first commands under "Try it", and stops the stub."""
    block = next(block for block in blocks("## Try it") if "--env" in block).replace("--env", "--port 0 --env")

    run = shell(f"{block}kill $!; env", tmp_path)

    names = re.findall(r"\$(\w+)", next(iter(blocks("# The contract suite"))))
    assert all(f"\n{name}=" in run.stdout for name in (*names, "PROJECT_PLATFORM_TOKEN")), run.stderr
