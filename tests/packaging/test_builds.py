"""The source distribution, builds that are compared, and the environment that a release is checked in."""

from __future__ import annotations

import json
import shutil
import stat
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from hatchling.builders.sdist import SdistBuilder

from release import core
from release.builds import build_twice
from release.tools import ReleaseError

ROOT = Path(__file__).parents[2]


def test_the_source_distribution_has_no_benchmarks_no_locks_and_no_hidden_files(tmp_path):
    """It has what a build needs."""
    (sdist,) = map(Path, SdistBuilder(str(ROOT)).build(directory=str(tmp_path), versions=["standard"]))
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}

    assert [name for name in names if name.endswith(".lock") or name.startswith("benchmarks/")] == []
    assert {name for name in names if name.startswith(".")} <= {".gitignore"}
    assert names >= {
        "CHANGELOG.md",
        "LICENSE",
        "README.md",
        "openapi.yaml",
        "pyproject.toml",
        "sdk/release/metadata.py",
    }


@pytest.fixture
def repository(tmp_path, monkeypatch):
    """Return a repository with one file, and a function that sets what its wheel depends on: a Python expression."""
    root, tools = tmp_path / "repository", tmp_path / "tools"
    for folder in (root, tools):
        folder.mkdir()
    (root / "a.txt").write_text("a")
    subprocess.run(["git", "init", "-q", root], check=True)

    def set_content(expression: str) -> None:
        (tools / "build.py").write_text(
            "import os, pathlib, sys, time\n"
            "dist, copy = map(pathlib.Path, sys.argv[-2:])\n"
            "dist.mkdir(exist_ok=True)\n"
            "(dist / 'a-1.tar.gz').write_bytes((copy / 'a.txt').read_bytes())\n"
            f"(dist / 'a-1-py3-none-any.whl').write_text(str({expression}))\n"
        )

    monkeypatch.setenv("PYTHONPATH", str(tools))
    return root, set_content


@pytest.mark.parametrize(
    "expression",
    ["time.tzname", "copy", "hash('a')", "(copy / 'a.txt').stat().st_mode", "time.time_ns()"],
    ids=["time zone", "folder", "hash seed", "permissions", "time"],
)
def test_a_wheel_that_depends_on_its_surroundings_is_named(repository, tmp_path, expression):
    """The two builds differ in all of these."""
    root, set_content = repository
    set_content(expression)

    *files, unequal = build_twice(root, tmp_path / "scratch", tmp_path / "dist")

    assert [file.name for file in files] == ["a-1.tar.gz", "a-1-py3-none-any.whl"]
    assert unequal == ["a-1-py3-none-any.whl"]


def test_builds_that_depend_on_the_commit_only_are_equal(repository, tmp_path):
    """Both have the same time of the last commit; the permissions of new files are those from before."""
    root, set_content = repository
    set_content("os.environ['SOURCE_DATE_EPOCH']")
    (tmp_path / "before").touch()

    assert build_twice(root, tmp_path / "scratch", tmp_path / "dist")[2] == []
    (tmp_path / "after").touch()
    assert (tmp_path / "after").stat().st_mode == (tmp_path / "before").stat().st_mode


def wheel(folder: Path, *requirements: str) -> Path:
    """Write a wheel without code that requires others, and return it."""
    info = "project_platform-1.0.dist-info"
    metadata = ["Metadata-Version: 2.4", "Name: project-platform", "Version: 1.0"]
    metadata += [f"Requires-Dist: {requirement}" for requirement in requirements]
    files = {"METADATA": metadata, "WHEEL": ["Wheel-Version: 1.0", "Root-Is-Purelib: true", "Tag: py3-none-any"]}
    path = folder / "project_platform-1.0-py3-none-any.whl"
    with zipfile.ZipFile(path, "w") as archive:
        for name, lines in files.items():
            archive.writestr(f"{info}/{name}", "\n".join([*lines, ""]))
        archive.writestr(f"{info}/RECORD", "".join(f"{info}/{name},,\n" for name in (*files, "RECORD")))
    return path


@pytest.mark.parametrize(
    ("requirements", "lock", "message"),
    [
        ([], "", None),
        (["missing-package"], "", "missing-package"),
        ([], "project-platform==2.0", "project-platform==2.0"),
    ],
    ids=["nothing required", "a package that is not there", "another version in the lock"],
)
def test_the_environment_of_a_wheel_has_the_versions_of_the_lock(tmp_path, monkeypatch, requirements, lock, message):
    """Without a network, so that only the wheel itself can be installed; what uv refuses ends the check."""
    if shutil.which("uv") is None:
        pytest.skip("uv is not installed: sdk/release/installer.lock")
    monkeypatch.setattr(core, "tool", shutil.which)
    monkeypatch.setenv("UV_OFFLINE", "1")
    (tmp_path / "requirements.lock").write_text(lock)

    if message is None:
        python = core.install(tmp_path, wheel(tmp_path, *requirements), tmp_path / "environment")
        assert core.packages(python) == {"project-platform": "1.0"}
    else:
        with pytest.raises(ReleaseError, match=message):
            core.install(tmp_path, wheel(tmp_path, *requirements), tmp_path / "environment")


@pytest.mark.skipif(sys.platform == "win32", reason="the tool is a shell script here")
def test_the_bill_of_materials_states_the_version_and_lists_normalized_names(tmp_path, monkeypatch):
    """The tool takes the component from `pyproject.toml`, which has no version, and keeps the spelling of names."""
    document = {
        "metadata": {"component": {"name": "project-platform"}},
        "components": [{"name": "Typing_Extensions", "version": "4.15.0"}, {"name": "h11", "version": "0.16.0"}],
    }
    script = tmp_path / "cyclonedx-py"
    script.write_text(f"#!{sys.executable}\nimport sys\nopen(sys.argv[-2], 'w').write({json.dumps(document)!r})\n")
    script.chmod(script.stat().st_mode | stat.S_IXUSR)
    monkeypatch.setattr(core, "tool", lambda name: str(tmp_path / name))
    file = tmp_path / "bill.json"

    listed = core.bill_of_materials(tmp_path, Path(sys.executable), file, "1.2.0")

    assert listed == {"project-platform": "1.2.0", "typing-extensions": "4.15.0", "h11": "0.16.0"}
    assert json.loads(file.read_text("utf-8"))["metadata"]["component"]["version"] == "1.2.0"
