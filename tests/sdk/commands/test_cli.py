"""The command `project-platform` itself."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from project_platform.commands.catalog import OPTIONAL, OWN
from project_platform.version import VERSION

PROJECT = tomllib.loads((Path(__file__).parents[3] / "pyproject.toml").read_text("utf-8"))["project"]


def command(*arguments: str, **options: object) -> subprocess.CompletedProcess[str]:
    words = [sys.executable, "-m", "project_platform", *arguments]
    return subprocess.run(words, capture_output=True, text=True, timeout=60, check=False, **options)


def test_the_module_is_the_command():
    done = command("--version")
    assert (done.returncode, done.stdout) == (0, f"{VERSION}\n")


def test_the_help_lists_every_command(run):
    shown = run("--help")

    assert shown.status == 0
    for name in {*OWN, *PROJECT["entry-points"]["project_platform.commands"]}:
        assert f"  {name} " in shown.out


@pytest.mark.parametrize(
    ("arguments", "hint"),
    [
        (["cal"], "call"),
        (["who"], "whoami"),
        (["stubs"], "stub"),
        (["xyz"], "the commands are call, whoami"),
        (["call", "records_creat"], "did you mean records.create"),
        (["call", "records.get"], "there are records.create and records.update"),
        (["call", "xyz"], "`project-platform call --help` lists them\n"),
        (["call", "records.create", "--tpye-slug=deal"], "did you mean --type-slug"),
        (["whoami", "--offlin"], "did you mean --offline"),
        (["whoami", "--token", "eyJhbGciOiJub25lIn0.eyJzdWIiOiJ1In0.c2ln"], "give it as PROJECT_PLATFORM_TOKEN"),
    ],
)
def test_the_message_about_an_unknown_name_has_a_suggestion(run, arguments, hint):
    done = run(*arguments)
    assert (done.status, hint in done.err) == (2, True)


def test_every_command_of_another_package_names_an_extra_that_exists():
    assert set(OPTIONAL) == set(PROJECT["entry-points"]["project_platform.commands"])
    assert {one.extra for one in OPTIONAL.values()} <= set(PROJECT["optional-dependencies"])


@pytest.mark.parametrize(("name", "extra"), [("facts", "contract"), ("contract", "contract"), ("stub", "stub")])
def test_a_missing_extra_is_named(run, monkeypatch, name, extra):
    class Point:
        def load(self) -> None:
            raise ModuleNotFoundError("gone", name="gone")

    monkeypatch.setattr("project_platform.cli._entry_points", lambda: {name: Point()})
    done = run(name)

    assert done.status == 1
    assert f"needs gone: pip install 'project-platform[{extra}]'" in done.err


@pytest.mark.parametrize(
    "arguments",
    [
        ["--help"],
        ["call", "--help"],
        ["call", "calendar.book", "--help"],
        ["call", "no.such"],
        ["whoami", "--help"],
        ["settle", "--help"],
        ["bulk", "run", "--help"],
        ["completion", "bash"],
    ],
    ids=" ".join,
)
def test_help_imports_no_library(arguments):
    """What is not imported takes no time: only the standard library and the table of operations are needed."""
    program = (
        "import sys\nfrom project_platform.cli import main\n"
        "try:\n    main(sys.argv[1:])\nexcept SystemExit:\n    pass\n"
        "print(sorted({'pydantic', 'httpx', 'h11', 'httptools', 'anyio', 'tenacity', 'rich'} & sys.modules.keys()), file=sys.stderr)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program, *arguments], capture_output=True, text=True, timeout=60, check=True
    )
    assert done.stderr.splitlines()[-1] == "[]"


def test_a_reader_that_stops_early_is_no_error():
    read, write = os.pipe()
    os.close(read)
    words = [sys.executable, "-m", "project_platform", "call", "--help"]
    with subprocess.Popen(words, stdout=write, stderr=subprocess.PIPE, text=True) as process:
        os.close(write)
        _, shown = process.communicate(timeout=60)

    assert (process.returncode, shown) == (0, "")
