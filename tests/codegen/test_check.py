"""`python -m codegen --check` lists the files that differ, and generation is deterministic."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys

import pytest
import yaml

from codegen import __main__ as command
from codegen.complaints import GenerationError
from codegen.generate import DOCUMENT, ROOT, generate
from codegen.tables import with_tables


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


def test_the_page_of_an_operation_that_is_no_more_is_left_over(committed, monkeypatch, capsys):
    """The check lists it, and the generator removes it."""
    page = committed.parent / "docs/reference/operations/boats_list.md"
    page.parent.mkdir(parents=True)
    page.write_text("# `boats.list`\n")

    assert command.main() == 1
    assert capsys.readouterr().err.startswith("docs/reference/operations/boats_list.md is left over\n")

    monkeypatch.setattr(sys, "argv", ["codegen"])
    assert command.main() == 0
    assert not page.exists()


@pytest.mark.parametrize(
    ("page", "problem"),
    [
        ("<!-- generated: classs -->\n<!-- end -->\n", "no table has the name classs"),
        ("<!-- generated: classes -->\n\n# Next\n<!-- generated: statuses -->\n<!-- end -->\n", "each table between"),
        ("<!--generated: classes-->\n<!-- end -->\n", "each table between"),
    ],
)
def test_a_marker_that_is_wrong_is_refused(page, problem):
    """Otherwise text that was written by hand would be replaced, or a table be kept as it is for ever."""
    with pytest.raises(GenerationError, match=problem):
        with_tables(page, yaml.safe_load(DOCUMENT.read_text("utf-8")))


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
