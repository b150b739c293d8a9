"""`python -m codegen --check` lists the files that differ, and generation is deterministic."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest

from codegen import __main__ as command
from codegen.generate import DOCUMENT, ROOT, generate


@pytest.fixture(scope="module")
def fresh(tmp_path_factory):
    """The files generated from the current contract."""
    folder = tmp_path_factory.mktemp("fresh")
    generate(DOCUMENT, folder)
    return folder


@pytest.fixture
def committed(fresh, tmp_path, monkeypatch):
    """A copy of the generated code for `--check` to compare with; the contract has not changed."""
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


def test_the_check_prints_nothing_when_all_files_are_current(committed, capsys):
    before = {path: path.read_bytes() for path in committed.rglob("*.py")}

    assert command.main() == 0

    assert capsys.readouterr().err == ""
    assert {path: path.read_bytes() for path in committed.rglob("*.py")} == before


def test_the_check_lists_files_that_differ(committed, capsys):
    """Files that were edited, that are missing, and that are no longer generated; pages with generated parts, too."""
    (committed / "_generated/models/agents.py").write_text("# edited\n")
    (committed / "_generated/operations/agents_list.py").unlink()
    (committed / "_generated/resources/boats.py").write_text("")
    (committed / "operations.py").write_text("# edited\n")
    (committed.parent / "assumptions.md").write_text("# edited\n")

    assert command.main() == 1

    lines = capsys.readouterr().err.splitlines()
    assert lines[:-1] == [
        "_generated/models/agents.py is out of date",
        "_generated/operations/agents_list.py is missing",
        "_generated/resources/boats.py is left over",
        "operations.py is out of date",
        "assumptions.md is out of date",
    ]
    assert lines[-1].endswith("run `python -m codegen`")
    assert not (committed / "_generated/operations/agents_list.py").exists()


@pytest.mark.parametrize("seed", ["1", "4242"])
def test_the_generated_code_does_not_depend_on_the_order_of_sets(fresh, tmp_path, seed):
    """Generation in processes with different hash seeds has the same result."""
    script = "import sys; from pathlib import Path; from codegen.generate import DOCUMENT, generate; generate(DOCUMENT, Path(sys.argv[1]))"
    environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(ROOT / "sdk")}

    subprocess.run([sys.executable, "-c", script, tmp_path / "package"], env=environment, check=True)

    assert command.differences(tmp_path / "package", fresh) == []


def test_obsolete_files_are_removed(tmp_path):
    """The module of a resource that is not in the contract is removed."""
    left_over = tmp_path / "package/_generated/resources/boats.py"
    left_over.parent.mkdir(parents=True)
    left_over.write_text("")

    generate(DOCUMENT, tmp_path / "package")

    assert not left_over.exists()
    assert (tmp_path / "package/_generated/resources/agents.py").exists()
