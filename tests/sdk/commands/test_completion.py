"""`project-platform completion`: what a shell proposes."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from project_platform._generated.commands import COMMANDS

TRY = {
    "bash": """
source ./script
COMP_LINE="$1"; COMP_POINT=${#COMP_LINE}
read -ra COMP_WORDS <<< "${COMP_LINE//:/ : }"  # bash splits words at colons
[[ "$COMP_LINE" == *" " ]] && COMP_WORDS+=("")
COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
_project_platform
printf '%s\\n' "${COMPREPLY[@]}"
""",
    # Outside of the line editor, compadd is replaced by a function that prints the words that match.
    "zsh": """
compadd() { local word; shift; for word in "$@"; [[ $word == ${(b)words[CURRENT]}* ]] && print -r -- $word }
compdef() {}
_files() {}
source ./script
words=(${(s: :)1}); [[ $1 == *" " ]] && words+=("")
CURRENT=$#words
_project_platform
true
""",
    "fish": """
source ./script
complete -C $argv[1] | string replace --regex '\\t.*' ''
true
""",
}
OPTIONS = {"bash": ["--norc", "-c"], "zsh": ["-f", "-c"], "fish": ["--no-config", "-c"]}
ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; unsetopt zle_bracketed_paste; autoload -Uz compinit; "$2
# Control-X prints the line and ends the shell.
zpty -w shell 'show() { print -r -- "<$BUFFER>"; exit }; zle -N show; bindkey "^X" show; print READ"Y"'
zpty -r -m shell output '*READY*'
zpty -w -n shell "$1"$'\\t\\x18'
zpty -r -m shell output '*<*>*'
output=${output##*<}
print -r -- ${output%%>*}
"""


def with_program():
    """Return the environment, in which a shell finds the program."""
    return os.environ | {"PATH": f"{Path(sys.executable).parent}:{os.environ['PATH']}"}


def require(shell):
    if shutil.which(shell) is None:
        pytest.skip(f"{shell} is not installed")


@pytest.fixture(params=["bash", "zsh", "fish"])
def shell(request):
    require(request.param)
    return request.param


@pytest.fixture
def proposals(run, workplace, shell):
    """Return a function that returns what the shell proposes after a text."""
    (workplace / "script").write_text(run("completion", shell).out)

    def proposals(text: str) -> list[str]:
        name = [] if shell == "fish" else [shell]
        command = [shell, *OPTIONS[shell], TRY[shell], *name, f"project-platform {text}"]
        done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20, env=with_program())
        return sorted(done.stdout.split())

    return proposals


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("wh", ["whoami"]),
        ("call rec", ["records.create", "records.update"]),
        ("call records.update --exp", ["--expected-data", "--expected-status"]),
        ("call calendar.book --no", ["--no-conflict-check"]),
        ("call agents.list --output ", ["csv", "json", "jsonl", "table"]),
        ("completion ", ["bash", "fish", "zsh"]),
        ("bulk s", ["settle", "status"]),
        ("bulk run deals.csv --ret", ["--retry-failed"]),
        ("bulk settle deals.journal 0 n", ["no"]),
        ("whoami --off", ["--offline"]),
        ("settle --ret", ["--retry"]),
        ("settle lost.json --output ", ["csv", "json", "jsonl", "table"]),
    ],
)
def test_a_shell_proposes(proposals, text, expected):
    assert proposals(text) == expected


def test_a_value_with_a_colon_is_completed(proposals, shell):
    """In bash, words end at colons, so only what follows the last one is proposed."""
    before = "" if shell == "bash" else "billing:"
    assert proposals("call auth.check_permission billing:") == [f"{before}{it}" for it in ("manage", "read", "write")]


@pytest.mark.parametrize("text", ["facts ", "settle ", "call records.create --data ", "bulk run "])
def test_files_are_proposed_where_they_are_arguments(proposals, shell, text):
    """So they are where nothing else is known. The functions of bash and zsh need the line editor, so only fish proposes them here."""
    assert proposals(text) == (["script"] if shell == "fish" else [])


@pytest.mark.parametrize(
    "load",
    ["compinit -u -D; source ./_project-platform", "fpath=($PWD $fpath); compinit -u -D"],
    ids=["sourced", "in a folder of $fpath"],
)
@pytest.mark.parametrize(
    ("typed", "completed"),
    [
        ("wh", "whoami"),
        ("call records.cr", "call records.create"),
        ("call auth.check_permission billing:m", "call auth.check_permission billing:manage"),
    ],
)
def test_the_line_editor_of_zsh_completes(run, workplace, load, typed, completed):
    """A real tab in an interactive shell, with the script loaded in both ways that its help names."""
    require("zsh")
    (workplace / "_project-platform").write_text(run("completion", "zsh").out)
    command = ["zsh", "-f", "-c", ZSH, "zsh", f"project-platform {typed}", load]
    done = subprocess.run(command, capture_output=True, text=True, check=True, timeout=20, env=with_program())
    assert done.stdout.strip() == f"project-platform {completed}"


def test_every_operation_and_option_is_proposed(run):
    """With its help, which fish shows."""
    assert {line.split("\t")[0] for line in run("completion", "words", "project-platform call ").out.splitlines()} == {
        *COMMANDS
    }
    for name, command in COMMANDS.items():
        lines = run("completion", "words", f"project-platform call {name} -").out.splitlines()
        options = dict(line.split("\t") for line in lines)
        assert {argument.option for argument in command.arguments if not argument.positional} <= options.keys()
        assert options["--timeout"] == "limit for each step of an attempt"


def test_an_unknown_shell_is_wrong_usage(run):
    assert run("completion", "powershell").status == 2
