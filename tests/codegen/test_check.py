"""`python -m codegen --check` names what differs, and what it makes is the same every time."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from codegen import __main__ as command
from codegen.generate import DOCUMENT, PACKAGE, ROOT, generate


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """What is generated from the contract now."""
    folder = tmp_path_factory.mktemp("fresh")
    generate(DOCUMENT, folder)
    return folder


@pytest.fixture
def committed(fresh, tmp_path, monkeypatch):
    """A copy of the generated code that `--check` compares with, beside a contract that has not changed."""
    folder, page = tmp_path / "package", tmp_path / "assumptions.md"
    shutil.copytree(fresh, folder)
    page.write_text("# Assumptions\n")
    monkeypatch.setattr(command, "PACKAGE", folder)
    monkeypatch.setattr(command, "ROOT", tmp_path)
    monkeypatch.setattr(
        command, "generate", lambda document, package: shutil.copytree(fresh, package, dirs_exist_ok=True)
    )
    monkeypatch.setattr(command, "pages", lambda: {page: "# Assumptions\n"})
    monkeypatch.setattr(sys, "argv", ["codegen", "--check"])
    return folder


def test_nothing_is_told_when_all_is_current(committed, capsys):
    """The check passes in silence, and changes nothing."""
    before = {path: path.read_bytes() for path in committed.rglob("*.py")}

    assert command.main() == 0

    assert capsys.readouterr().err == ""
    assert {path: path.read_bytes() for path in committed.rglob("*.py")} == before


def test_what_differs_is_named(committed, capsys):
    """A file that was edited by hand, one that is missing, and one that nothing generates any more."""
    (committed / "_generated/models/agent.py").write_text("# edited\n")
    (committed / "_generated/operations/agents_list.py").unlink()
    (committed / "_generated/resources/boats.py").write_text("")
    (committed / "operations.py").write_text("# edited\n")

    assert command.main() == 1

    told = capsys.readouterr().err.splitlines()
    assert told[:4] == [
        "_generated/models/agent.py is out of date",
        "_generated/operations/agents_list.py is missing",
        "_generated/resources/boats.py is left over",
        "operations.py is out of date",
    ]
    assert told[-1].endswith("run `python -m codegen`")
    assert not (committed / "_generated/operations/agents_list.py").exists()


def test_a_change_of_one_byte_is_seen(committed, capsys):
    """Also of white space, at the end of a file."""
    path = committed / "_generated/scopes.py"
    path.write_bytes(path.read_bytes() + b"\n")

    assert command.main() == 1

    assert "scopes.py is out of date" in capsys.readouterr().err


def test_a_page_that_differs_is_named_too(committed, capsys):
    """Pages, tables of pages and enumerations of schemas are made from the same contract."""
    (committed.parent / "assumptions.md").write_text("# edited\n")

    assert command.main() == 1

    assert "assumptions.md is out of date" in capsys.readouterr().err


def test_the_committed_code_is_current(fresh):
    """What is in the repository is what the contract and the templates give."""
    assert command.differences(fresh, PACKAGE) == []


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_the_order_of_sets_leaves_no_trace(fresh, tmp_path, seed):
    """Python orders sets anew in every process; the generated code does not show it."""
    script = "import sys; from pathlib import Path; from codegen.generate import DOCUMENT, generate; generate(DOCUMENT, Path(sys.argv[1]))"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "sdk")}

    subprocess.run([sys.executable, "-c", script, tmp_path / "package"], env=environment, check=True)

    assert command.differences(tmp_path / "package", fresh) == []


def test_what_was_there_before_is_replaced(tmp_path):
    """A resource that left the contract leaves the package."""
    left_over = tmp_path / "package/_generated/resources/boats.py"
    left_over.parent.mkdir(parents=True)
    left_over.write_text("")

    generate(DOCUMENT, tmp_path / "package")

    assert not left_over.exists()
    assert (tmp_path / "package/_generated/resources/agents.py").exists()
