"""CONTRIBUTING.md and the architecture page name files and folders that exist, and all packages and their folders."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
CONTRIBUTING = (ROOT / "CONTRIBUTING.md").read_text("utf-8")
ARCHITECTURE = (ROOT / "docs/architecture.md").read_text("utf-8")
PACKAGES = [
    "sdk/codegen",
    "sdk/project_platform",
    "sdk/project_platform_contract",
    "server_stub/project_platform_pytest",
    "server_stub/project_platform_stub",
]
# Words in backticks that look like a path and are not one: the example of a file that there is not, and a route.
NOT_PATHS = {"utils.py", "/_stub/"}


def mapped_paths() -> list[str]:
    """Return the paths in the tree of CONTRIBUTING.md; indentation is two spaces for each level."""
    tree = CONTRIBUTING.partition("## Where things are")[2].split("```")[1]
    paths: list[str] = []
    parents: list[str] = []
    for indent, name in re.findall(r"^( *)(\S+)", tree.partition("\n")[2], re.MULTILINE):
        parents = [*parents[: len(indent) // 2], name]
        paths.append("".join(parents))
    return paths


def test_the_tree_names_paths_that_exist():
    """Each line of the tree of CONTRIBUTING.md is a file or a folder of the repository."""
    assert [path for path in mapped_paths() if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("package", PACKAGES)
def test_the_tree_names_every_folder_of_a_package(package):
    """A package, and each folder directly inside it, has a line in the tree."""
    folders = [path for path in (ROOT / package).iterdir() if path.is_dir() and path.name != "__pycache__"]

    assert {f"{package}/", *(f"{path.relative_to(ROOT)}/" for path in folders)} - set(mapped_paths()) == set()


def test_the_table_of_tests_names_every_folder_of_tests():
    """Each folder of `tests` has a row in the table of tests."""
    rows = re.findall(r"^\| `(tests/\w+)` \|", CONTRIBUTING, re.MULTILINE)
    folders = [path for path in (ROOT / "tests").iterdir() if path.is_dir() and path.name != "__pycache__"]

    assert sorted(rows) == sorted(str(path.relative_to(ROOT)) for path in folders)


def test_paths_in_the_text_of_contributing_exist():
    """A path in backticks is a file or a folder of the repository."""
    quoted = set(re.findall(r"`([\w./-]+)`", CONTRIBUTING)) - NOT_PATHS
    paths = {name for name in quoted if "/" in name or re.search(r"\.\w+$", name)}

    assert len(paths) > 30
    assert {path for path in paths if not (ROOT / path).exists()} == set()


def test_files_that_the_architecture_page_names_exist():
    """A module on the architecture page exists in one of the packages."""
    named = set(re.findall(r"[\w/]+\.py\b", ARCHITECTURE))
    files = {str(file.relative_to(ROOT / package)) for package in PACKAGES for file in (ROOT / package).rglob("*.py")}

    assert len(named) > 20
    assert named - files == set()
