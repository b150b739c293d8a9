"""`project-platform completion`: what a shell proposes."""

from __future__ import annotations

import shutil
import subprocess

import pytest

from project_platform._generated.commands import COMMANDS

TRY = """
source ./script
COMP_LINE="$1"; COMP_POINT=${#COMP_LINE}
read -ra COMP_WORDS <<< "${COMP_LINE//:/ : }"  # bash splits words at colons
[[ "$COMP_LINE" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_project_platform
printf '%s\\n' "${COMPREPLY[@]}"
"""


@pytest.fixture
def proposals(run, workplace):
    """Return a function that returns what bash proposes after a text."""
    (workplace / "script").write_text(run("completion", "bash").out)

    def proposals(text: str) -> list[str]:
        command = ["bash", "--norc", "-c", TRY, "bash", f"project-platform {text}"]
        return subprocess.run(command, capture_output=True, text=True, check=True, timeout=20).stdout.split()

    return proposals


@pytest.mark.skipif(shutil.which("bash") is None, reason="bash is not installed")
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wh", ["whoami"]),
        ("call rec", ["records.create", "records.update"]),
        ("call records.update --exp", ["--expected-data", "--expected-status"]),
        ("call calendar.book --no", ["--no-conflict-check"]),
        ("call agents.list --output ", ["json", "table", "csv"]),
        ("call auth.check_permission billing:", ["read", "write", "manage"]),
        ("call records.create --data ", []),
        ("completion ", ["bash", "fish", "zsh"]),
        ("bulk s", ["status", "settle"]),
        ("whoami --off", ["--offline"]),
        ("facts ", []),
    ],
)
def test_bash_proposes(proposals, text, expected):
    """Where it proposes nothing, bash completes names of files."""
    assert proposals(text) == expected


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_a_script_has_every_operation_and_option(run, shell):
    script = run("completion", shell)

    assert script.status == 0
    for name, command in COMMANDS.items():
        assert name in script.out
        for argument in command.arguments:
            option = argument.option.removeprefix("--") if shell == "fish" else argument.option
            assert argument.positional or option in script.out


@pytest.mark.parametrize(("shell", "check"), [("bash", "-n"), ("zsh", "-n"), ("fish", "--no-execute")])
def test_a_script_has_no_syntax_errors(run, workplace, shell, check):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")
    (workplace / "script").write_text(run("completion", shell).out)
    subprocess.run([shell, check, "script"], check=True, timeout=20)


def test_an_unknown_shell_is_wrong_usage(run):
    assert run("completion", "powershell").status == 2
