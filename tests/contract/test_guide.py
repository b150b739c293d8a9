"""Compares the guide with the suite, and runs its example."""

from __future__ import annotations

import json
import os
import re
import subprocess
from pathlib import Path

import pytest

import project_platform_contract
from project_platform_contract.cli import main
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


def test_the_example_proves_rules_on_a_stub(served, tmp_path):
    """Runs the commands under "Try it", with a stub that is already running."""
    (tmp_path / "stub.json").write_text(json.dumps(served.stub.describe(served.base_url)), "utf-8")
    block = re.findall(r"```sh\n(.*?)```", GUIDE.read_text("utf-8").partition("## Try it")[2], re.DOTALL)[0]
    stub, *commands = block.strip().splitlines()
    assert stub == "project-platform stub --describe stub.json &"
    script = "\n".join(["set -e", *commands]).replace("http://127.0.0.1:8080", served.base_url)

    run = subprocess.run(
        ["bash", "-c", script],  # as a reader would run it
        cwd=tmp_path,
        env={name: value for name, value in os.environ.items() if not name.startswith(("PYTEST", "PROJECT_"))},
        capture_output=True,
        text=True,
        check=False,
    )

    assert run.returncode == ExitCode.PROVEN, run.stdout + run.stderr
    assert served.non_read_requests == []
    listed = {path.name for path in (tmp_path / "contract-report").iterdir()}
    assert listed >= {"report.html", "report.md", "report.json", "facts.json"}
    assert problem_of("report", json.loads((tmp_path / "contract-report" / "report.json").read_text("utf-8"))) is None
