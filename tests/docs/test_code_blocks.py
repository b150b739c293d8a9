"""The code blocks of README, guides and other pages run and print what the pages show."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import inspect
import io
import os
import re
import shlex
import subprocess
import sys
import textwrap
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from types import CodeType

import pytest

from project_platform.bulk.cli import parser as bulk_command
from project_platform_stub import faults

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md"))]
FENCE = re.compile(
    r"^(?P<indent> *)```(?P<language>\w+)[^\n]*\n(?P<text>.*?)^(?P=indent)```$", re.MULTILINE | re.DOTALL
)
TAB = re.compile(r'^=== "(?P<title>[^"]+)"$', re.MULTILINE)
ASYNC = "Async"
RECIPES = "recipes.md"


@dataclass
class Block:
    """A fenced block.

    Attributes:
        language: The language.
        text: The code, without indentation.
        line: The first line.
        tab: Title of its tab; None outside of tabs.
        is_first: Whether its tab is the first of its set; true outside of tabs.
        output: The `text` block right after it. One right after a set of tabs is the output of each tab.
    """

    language: str
    text: str
    line: int
    tab: str | None = None
    is_first: bool = True
    output: str | None = None

    @property
    def is_test_module(self) -> bool:
        """Whether the block contains tests."""
        return "\ndef test_" in self.text


def blocks(page: Path) -> list[Block]:
    """Return the fenced blocks of a page, also those in tabs."""
    text = page.read_text("utf-8")
    result: list[Block] = []
    end = 0
    for match in FENCE.finditer(text):
        between = text[end : match.start()]
        titles = list(TAB.finditer(between))
        continues = re.fullmatch(r"\s*", between if not titles else between[: titles[0].start()]) is not None
        previous = result[-1] if result else None
        inside = bool(match["indent"])
        if titles and inside:
            tab = titles[-1]["title"]
            is_first = not (continues and previous is not None and previous.tab)
        else:
            tab = previous.tab if inside and previous is not None else None
            is_first = previous.is_first if inside and previous is not None else True
        block = Block(
            match["language"],
            textwrap.dedent(match["text"]),
            text.count("\n", 0, match.start()) + 1,
            tab,
            is_first=is_first,
        )
        if block.language == "text" and continues and not titles:
            _set_output(result, block)
        result.append(block)
        end = match.end()
    return result


def _set_output(earlier: list[Block], output: Block) -> None:
    """Note an output in the block before it, or in the last block of each tab of the set before it."""
    missing: set[str | None] = set()
    for block in reversed(earlier):
        if block.language not in {"python", "sh"} or block.output is not None or block.tab in missing:
            break
        block.output = output.text
        missing.add(block.tab)
        if block.tab == output.tab or block.is_first:
            break


def programs(page: Path) -> dict[str, list[Block]]:
    """Return the Python programs of a page, by the tab whose readers see it.

    The first program has the blocks outside of tabs, and the first tab of each set. The tab Async is a program by itself,
    because blocks outside of tabs use the synchronous client. Any other tab takes the place of the first tab of its set.
    On the page of recipes, each block is a program: readers copy one.
    """
    code = [block for block in blocks(page) if block.language == "python" and not block.is_test_module]
    if page.name == RECIPES:
        return {f"line {block.line}": [block] for block in code}
    found = {"": [block for block in code if block.is_first]}
    for tab in dict.fromkeys(block.tab for block in code if not block.is_first):
        replaced = {block.line for block in _replaced(code, tab)}
        found[str(tab)] = [
            block
            for block in code
            if block.tab == tab or (tab != ASYNC and block.is_first and block.line not in replaced)
        ]
    return found


def _replaced(code: list[Block], tab: str | None) -> Iterator[Block]:
    """Yield the blocks of first tabs whose set has a certain other tab."""
    first: list[Block] = []
    for block in code:
        if block.tab is None:
            first = []
        elif block.is_first:
            first = [*first, block] if first and first[-1].tab == block.tab else [block]
        elif block.tab == tab:
            yield from first


def pages_with(language: str) -> list[object]:
    """Return the pages that contain a block in a language, as parameters of a test."""
    chosen = [page for page in PAGES if any(block.language == language for block in blocks(page))]
    return [pytest.param(page, id=str(page.relative_to(ROOT))) for page in chosen]


def all_programs() -> list[object]:
    """Return the programs of all pages, as parameters of a test."""
    return [
        pytest.param(page, tab, id=f"{page.relative_to(ROOT)}{'-' if tab else ''}{tab}")
        for page in PAGES
        for tab, program in programs(page).items()
        if program
    ]


@pytest.mark.parametrize(("page", "tab"), all_programs())
def test_the_code_of_a_page_runs_and_prints_what_the_page_shows(page, tab, service):
    """The Python blocks of a program run in order, and each prints the text block that follows it."""
    namespace: dict[str, object] = {"__name__": "page"}
    with asyncio.Runner() as runner:
        for block in programs(page)[tab]:
            # Blank lines before the code make line numbers in tracebacks match the page.
            source = "\n" * block.line + block.text
            # A cell of a notebook can await.
            flags = ast.PyCF_ALLOW_TOP_LEVEL_AWAIT if tab == "Notebook" else 0
            code = compile(source, str(page), "exec", flags=flags, dont_inherit=True)
            printed = io.StringIO()
            with contextlib.redirect_stdout(printed):
                if code.co_flags & inspect.CO_COROUTINE:
                    runner.run(_awaited(code, namespace))
                else:
                    exec(code, namespace)
            if block.output is not None:
                assert printed.getvalue() == block.output, f"{page.name}, line {block.line}"


async def _awaited(code: CodeType, namespace: dict[str, object]) -> None:
    await eval(code, namespace)


@pytest.mark.parametrize(
    ("word", "operation", "printed"),
    [
        ("FastAPI(", "records_create", "500 {'applied': 'unknown', 'operation': 'records_create'}"),
        ("Celery(", "records_update", "in effect"),
        ("def handler(", "records_create", "{'applied': 'unknown', 'operation': 'records_create'}"),
    ],
    ids=["FastAPI", "Celery", "AWS Lambda"],
)
def test_a_recipe_does_not_repeat_a_write_whose_response_is_lost(word, operation, printed, service):
    """It is settled, or reported as unknown, and sent again only where the guard fences."""
    (recipe,) = [block for block in blocks(ROOT / "docs/guides" / RECIPES) if word in block.text]
    service.world.faults.plan(operation, faults.drop_after_apply())
    out = io.StringIO()

    with contextlib.redirect_stdout(out):
        exec(compile(recipe.text, RECIPES, "exec", dont_inherit=True), {"__name__": "page"})

    assert out.getvalue().splitlines()[0] == printed
    sent = [entry.operation for entry in service.world.journal].count("records_create")
    assert sent == 1


def test_the_code_of_the_pages_passes_mypy(tmp_path):
    """In strict mode, each program as one module."""
    files = []
    for number, (page, code) in enumerate(modules_of_the_pages()):
        files.append(tmp_path / f"module_{number}.py")
        files[-1].write_text(f"# {page.name}\n{code}", "utf-8")
    # A cell of a notebook can await.
    options = ["--config-file", str(ROOT / "pyproject.toml"), "--disable-error-code", "top-level-await"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *options, *map(str, files)],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
    )
    heads = {file.name: file.read_text("utf-8").partition("\n")[0] for file in files}
    assert done.returncode == 0, done.stdout + "\n".join(
        f"{name} is {page}" for name, page in heads.items() if name in done.stdout
    )


def modules_of_the_pages() -> Iterator[tuple[Path, str]]:
    """Yield each program and each test module of the pages, with blank lines so that lines in messages match the page."""
    for page in PAGES:
        single = [[block] for block in blocks(page) if block.language == "python" and block.is_test_module]
        for program in [*programs(page).values(), *single]:
            lines: list[str] = []
            for block in program:
                lines += [""] * (block.line - 1 - len(lines)) + block.text.splitlines()
            yield page, "\n".join(lines) + "\n"


@pytest.mark.parametrize("page", pages_with("python"))
def test_the_tests_of_a_page_pass(page, workplace):
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


def test_the_first_program_of_the_readme_runs_with_its_command(tmp_path):
    """With nothing but the package: the command starts the stub server and sets the environment."""
    readme = ROOT / "README.md"
    program = next(block for block in blocks(readme) if block.language == "python")
    command = next(words for words in shell_lines(readme) if words[:3] == ["project-platform", "stub", "exec"])
    (tmp_path / command[-1]).write_text(program.text, "utf-8")
    path = os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]])

    done = subprocess.run(
        ["sh", "-c", shlex.join(command)],
        cwd=tmp_path,
        env={**os.environ, "PATH": path},
        capture_output=True,
        text=True,
        check=True,
        timeout=120,
    )

    assert done.stdout.startswith("yes won\n[")


def test_the_commands_of_bulk_runs_are_understood():
    """The parser accepts them."""
    lines = [words for page in PAGES for words in shell_lines(page) if words[:2] == BULK]

    assert len(lines) > 3
    for words in lines:
        bulk_command().parse_args(words[2 : words.index(">") if ">" in words else None])
