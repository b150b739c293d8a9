"""The code blocks of README, guides and other pages run and print what the pages show."""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shlex
import subprocess
import sys
import tomllib
from dataclasses import dataclass
from itertools import zip_longest
from pathlib import Path

import pytest

from project_platform.bulk.cli import parser as bulk_command
from project_platform.calls import configuration
from project_platform.calls.log import LOG_VARIABLE
from project_platform_stub import Stub

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
# The arguments with which the pages show modules of the repository.
MODULES = {
    "codegen": ([], ["--check"]),
    "codegen.notebooks": ([],),
    "benchmarks": ([], ["--peers", "--growth"]),
    "benchmarks.stub": (["--quick"],),
}
FENCE = re.compile(r"^```(\w+)[^\n]*\n(.*?)^```$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Block:
    """A fenced block: its language, text and first line, and the `text` block right after it, which is its output."""

    language: str
    text: str
    line: int
    output: str | None = None

    @property
    def is_test_module(self) -> bool:
        """Whether the block contains tests."""
        return "\ndef test_" in self.text


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page."""
    text = page.read_text("utf-8")
    found = list(FENCE.finditer(text))
    result = []
    for match, following in zip_longest(found, found[1:]):
        adjacent = following is not None and not text[match.end() : following.start()].strip()
        output = following[2] if following is not None and adjacent and following[1] == "text" else None
        result.append(Block(match[1], match[2], text.count("\n", 0, match.start()) + 1, output))
    return result


def pages_with(language: str) -> list[object]:
    """Return the pages that contain a block in a language, as parameters of a test."""
    chosen = [page for page in PAGES if any(block.language == language for block in blocks(page))]
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in chosen]


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page: Path, service: Stub) -> None:
    """The Python blocks of a page run in order, and each prints the text block that follows it."""
    namespace: dict[str, object] = {"__name__": "page"}
    for block in blocks(page):
        if block.language != "python" or block.is_test_module:
            continue
        # Blank lines before the code make line numbers in tracebacks match the page.
        code = compile("\n" * block.line + block.text, str(page), "exec", dont_inherit=True)
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            exec(code, namespace)
        if block.output is not None:
            assert printed.getvalue() == block.output, f"{page.name}, line {block.line}"


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_tests_of_a_page_pass(page: Path, workplace: Path) -> None:
    """A block that contains tests is a test module that passes."""
    modules = [block for block in blocks(page) if block.language == "python" and block.is_test_module]
    for number, block in enumerate(modules):
        (workplace / f"test_shown_{number}.py").write_text(block.text, "utf-8")
    if modules:
        command = [sys.executable, "-W", "error", "-m", "pytest", "-q", "-p", "no:cacheprovider", str(workplace)]
        done = subprocess.run(command, capture_output=True, text=True, cwd=workplace, check=False)
        assert done.returncode == 0, done.stdout + done.stderr


def shell_lines(page: Path) -> list[list[str]]:
    """Return the commands in the `sh` blocks of a page, split into words."""
    lines = [line for block in blocks(page) if block.language == "sh" for line in block.text.splitlines()]
    return [words for line in lines if (words := shlex.split(line, comments=True))]


BULK = ["project-platform", "bulk"]
SHELL_GUIDE = "shell.md"  # its commands are run by test_shell_guide.py


def test_the_commands_of_bulk_runs_are_understood() -> None:
    """The parser accepts them."""
    lines = [words for page in PAGES for words in shell_lines(page) if words[:2] == BULK]

    assert len(lines) > 3
    for words in lines:
        bulk_command().parse_args(words[2:])


@pytest.mark.parametrize("page", [page for page in pages_with("sh") if page.id != f"docs/guides/{SHELL_GUIDE}"])
def test_the_commands_of_a_page_exist(page: Path) -> None:
    """The make targets, extras, subcommands, options, files and variables in the commands of a page exist."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    targets = re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text("utf-8"), re.MULTILINE)
    for words in (words for words in shell_lines(page) if words[:2] != BULK):
        match words:
            case ["make", target]:
                assert target in targets
            case ["pip", "install", requirement]:
                name, _, extras = requirement.rstrip("]").partition("[")
                assert name == project["name"]
                assert set(filter(None, extras.split(","))) <= set(project["optional-dependencies"])
            case ["project-platform", "stub", *arguments]:
                options = command_options("stub")
                arguments = arguments[: arguments.index("--")] if "--" in arguments else arguments
                assert [word for word in arguments if word.startswith("--") and word not in options] == []
            case ["project-platform", "contract", *arguments]:
                options = command_options("contract")
                assert [word for word in arguments if word.startswith("-") and word not in options] == []
            case ["eval", script] if "project_platform_contract.data.stub_data" in script:
                assert importlib.util.find_spec("project_platform_contract.data.stub_data")
            case ["pytest", "--pyargs", package]:
                assert importlib.util.find_spec(package)
            case ["project-platform", "facts", "show", _] | ["project-platform", "facts", "diff", _, _]:
                pass
            case ["export", assignment]:
                assert assignment.partition("=")[0] in {
                    configuration.BASE_URL_VARIABLE,
                    configuration.TOKEN_VARIABLE,
                    configuration.PROJECT_VARIABLE,
                    LOG_VARIABLE,
                }
            case [".venv/bin/python", "-m", "pytest", folder]:
                assert (ROOT / folder).is_dir()
            case [".venv/bin/python", "-m", module, *arguments] if module in MODULES:
                assert arguments in MODULES[module]
            case [".venv/bin/python", script, *arguments] if script.endswith(".py"):
                text = (ROOT / script).read_text("utf-8")
                assert [word for word in arguments if word.startswith("--") and f'"{word}"' not in text] == []
            case [".venv/bin/ruff", "format", "."] | [".venv/bin/mypy", "sdk"]:
                pass
            case _:
                pytest.fail(f"{page.name}: add a case for this command to this test: {shlex.join(words)}")


def command_options(name: str) -> set[str]:
    """Return the options of a subcommand of `project-platform`, from its help."""
    command = [sys.executable, "-m", "project_platform.cli", name, "--help"]
    environment = {**os.environ, "COLUMNS": "200"}
    shown = subprocess.run(command, capture_output=True, text=True, check=True, env=environment)
    return set(re.findall(r"(?<![\w-])--?[a-z][a-z-]*", shown.stdout))
