"""What a release is built and checked with: the README's links, the contents of the wheel, and which Python counts."""

from __future__ import annotations

import hashlib
import re
import stat
import subprocess
import sys
import zipfile
from collections import defaultdict
from email.parser import HeaderParser
from pathlib import Path

import pytest

from release import pythons
from release.api import compare, may_break
from release.check import check
from release.contents import relative_links, wheel_problems
from release.metadata import address_problems, urls, with_absolute_links
from release.tools import ReleaseError

ROOT = Path(__file__).parents[2]
REPOSITORY = "https://forge.example/us/sdk"
DOCUMENTATION = "https://docs.example/sdk"
POSIX = pytest.mark.skipif(sys.platform == "win32", reason="shims are shell scripts")


@pytest.mark.parametrize(
    ("text", "with_addresses", "without"),
    [
        ("[A](docs/a.md#b)", f"[A]({DOCUMENTATION}/a.html#b)", "A"),
        ("[A](examples)", f"[A]({REPOSITORY}/blob/v1.2.0/examples)", "A"),
        ("[A](#use)", f"[A]({REPOSITORY}/blob/v1.2.0/README.md#use)", "A"),
        ("[A](https://x.example)", "[A](https://x.example)", "[A](https://x.example)"),
        ("![A](docs/a.png) B", f"![A]({REPOSITORY}/raw/v1.2.0/docs/a.png) B", " B"),
        ("[![A](a.png)](LICENSE)", f"[![A]({REPOSITORY}/raw/v1.2.0/a.png)]({REPOSITORY}/blob/v1.2.0/LICENSE)", ""),
        ("```python\nx[0](a)\n```", "```python\nx[0](a)\n```", "```python\nx[0](a)\n```"),
    ],
)
def test_links_of_the_readme_become_absolute_or_text(text, with_addresses, without):
    """With addresses they go to the tag of the version or to the documentation; without, no dead link remains."""
    assert with_absolute_links(text, REPOSITORY, DOCUMENTATION, "1.2.0") == with_addresses
    assert with_absolute_links(text, "", "", "1.2.0") == without


@pytest.mark.parametrize(("repository", "documentation"), [("", ""), (REPOSITORY, ""), (REPOSITORY, DOCUMENTATION)])
def test_the_readme_on_an_index_has_no_dead_link(repository, documentation):
    """Whether the addresses are known or not; in the repository it has relative links."""
    readme = (ROOT / "README.md").read_text("utf-8")

    assert relative_links(readme)
    assert relative_links(with_absolute_links(readme, repository, documentation, "1.2.0")) == []


def test_project_urls_follow_from_two_addresses():
    """An address that is not known has no URL."""
    assert urls("", "") == {}
    assert set(urls(REPOSITORY, DOCUMENTATION)) == {"Changelog", "Documentation", "Issues", "Source"}


@pytest.mark.parametrize(
    ("repository", "documentation", "messages"),
    [
        ("", DOCUMENTATION, ["repository is empty; set it to the address of the repository on a forge"]),
        (REPOSITORY, "", ["documentation is empty; set it to the address at which `make docs` is published"]),
        ("http://forge.example", f"{DOCUMENTATION}/", ["must begin with https://", "no slash at its end"]),
    ],
)
def test_a_release_without_addresses_is_refused_before_it_is_built(tmp_path, repository, documentation, messages):
    """The message says what to set and where; nothing is built, and the distribution of an earlier run is not removed."""
    lines = ["[tool.hatch.metadata.hooks.custom]", f'repository = "{repository}"', f'documentation = "{documentation}"']
    (tmp_path / "pyproject.toml").write_text("\n".join(lines))
    (tmp_path / "dist").mkdir()

    with pytest.raises(ReleaseError) as refused:
        check(tmp_path, tmp_path / "dist", publish=True)

    assert (tmp_path / "dist").exists()
    assert list(address_problems(REPOSITORY, DOCUMENTATION)) == []
    for message in ["pyproject.toml, [tool.hatch.metadata.hooks.custom]", *messages]:
        assert message in str(refused.value)


def test_the_wheel_passes_the_checks_of_a_release(built):
    """Its files, its metadata, and no file twice."""
    with zipfile.ZipFile(built) as archive:
        by_content = defaultdict(list)
        for name in archive.namelist():
            if content := archive.read(name):
                by_content[hashlib.sha256(content).hexdigest()].append(name)

    assert list(wheel_problems(built)) == []
    assert [names for names in by_content.values() if len(names) > 1] == []


def test_a_wheel_with_other_files_or_a_relative_link_is_refused(built, tmp_path):
    """Each is named."""
    broken = tmp_path / built.name
    with zipfile.ZipFile(built) as source, zipfile.ZipFile(broken, "w") as target:
        for name in source.namelist():
            content = source.read(name)
            if name.endswith("METADATA"):
                content = content.replace(b"Classifier: Typing :: Typed\n", b"") + b"\n[A](docs/a.md)\n"
            if name != "project_platform/py.typed" and "/licenses/" not in name:
                target.writestr(name, content)
        target.writestr("project_platform/tests/test_a.py", "")
        target.writestr("codegen/__init__.py", "")

    problems = "\n".join(wheel_problems(broken))

    for expected in ("project_platform/tests", "codegen", "py.typed", "Typing :: Typed", "LICENSE", "docs/a.md"):
        assert expected in problems, expected


def script(path: Path, *lines: str) -> None:
    """Write an executable shell script."""
    path.write_text("\n".join(["#!/bin/sh", *lines, ""]))
    path.chmod(path.stat().st_mode | stat.S_IXUSR)


@POSIX
def test_a_shim_that_prints_an_error_is_no_python(tmp_path, monkeypatch):
    """The Python of a version is then found with `pyenv prefix`, and one of another version is not taken."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    real = tmp_path / "versions" / f"{version}.99" / "bin"
    real.mkdir(parents=True)
    (tmp_path / "shims").mkdir()
    monkeypatch.setenv("PATH", str(tmp_path / "shims"))
    for shim in (f"python{version}", "python3.99"):
        script(tmp_path / "shims" / shim, f"echo 'pyenv: {shim}: command not found' >&2", "exit 127")

    assert pythons.find(version) is None

    script(real / "python", f'exec "{sys.executable}" "$@"')
    listed = f"[ $1 = versions ] && echo {version}.99 && echo 3.99.0 && exit"
    script(tmp_path / "shims" / "pyenv", listed, f'echo "{tmp_path}/versions/$2"')
    other = tmp_path / "versions" / "3.99.0" / "bin"
    other.mkdir(parents=True)
    script(other / "python", f'exec "{sys.executable}" "$@"')

    assert Path(pythons.find(version)).samefile(sys.executable)
    assert pythons.find("3.99") is None


@pytest.mark.parametrize(
    ("before", "after", "allowed"),
    [("0.2.0", "0.2.1", False), ("0.2.0", "0.3.0", True), ("1.2.0", "1.3.0", False), ("1.2.0", "2.0.0", True)],
)
def test_a_breaking_change_needs_a_version_that_allows_it(before, after, allowed):
    """Before 1.0 a new minor version, from then on a new major version."""
    assert may_break(before, after) is allowed


@pytest.fixture
def released(tmp_path):
    """Return a repository with a tag `v1.2.0`, and the module of its resource."""
    package = tmp_path / "sdk/project_platform"
    resource = package / "_generated/resources/agents.py"
    resource.parent.mkdir(parents=True)
    for folder in (package, resource.parent, resource.parents[1]):
        (folder / "__init__.py").write_text("")
    (package / "version.py").write_text('VERSION = "1.2.1"\n')
    resource.write_text("class AgentsResource:\n    def list(self, *, limit: int = 10) -> None: ...\n")
    git = ["git", "-C", str(tmp_path), "-c", "user.name=a", "-c", "user.email=a@example"]
    for arguments in (["init", "-q"], ["add", "."], ["commit", "-qm", "1.2.0"], ["tag", "v1.2.0"]):
        subprocess.run([*git, *arguments], check=True, capture_output=True)
    return tmp_path, resource


def test_methods_of_resources_are_part_of_the_public_api(released):
    """Although their module is private: a client has them as attributes."""
    pytest.importorskip("griffe", reason="griffe comes with the tools of the documentation")
    root, resource = released

    assert compare(root) == "No change since v1.2.0 breaks callers."

    resource.write_text(resource.read_text().replace("limit", "most"))
    with pytest.raises(ReleaseError, match=r"AgentsResource\.list\(limit\): Parameter was removed"):
        compare(root)

    (root / "sdk/project_platform/version.py").write_text('VERSION = "2.0.0"\n')
    assert "Version 2.0.0 may break callers of v1.2.0." in compare(root)


@pytest.mark.parametrize(
    ("name", "wanted"),
    [
        ("release.lock", re.findall(r"^([\w-]+)", (ROOT / "sdk/release/release.in").read_text("utf-8"), re.MULTILINE)),
        ("installer.lock", ["uv"]),
    ],
)
def test_the_locks_of_the_release_have_a_hash_for_each_package(name, wanted):
    """And every package that `release.in` names."""
    lock = (ROOT / "sdk/release" / name).read_text("utf-8")
    locked = re.findall(r"^(\S+)==", lock, re.MULTILINE)

    assert set(wanted) <= set(locked)
    assert all("--hash=sha256:" in entry for entry in re.split(r"^(?=\S+==)", lock, flags=re.MULTILINE) if entry)


def test_the_version_of_the_citation_is_current():
    """CITATION.cff states the version of the distribution, and so does the newest section of the changelog."""
    version = re.search(r'"(.+)"', (ROOT / "sdk/project_platform/version.py").read_text("utf-8").partition("=")[2])[1]

    assert f"\nversion: {version}\n" in (ROOT / "CITATION.cff").read_text("utf-8")
    assert re.search(r"^## (\S+)", (ROOT / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)[1] == version


def test_the_metadata_states_author_licence_and_readme(built):
    """The description is the README, as Markdown."""
    with zipfile.ZipFile(built) as archive:
        (name,) = (name for name in archive.namelist() if name.endswith("METADATA"))
        metadata = HeaderParser().parsestr(archive.read(name).decode())

    assert metadata["Author"] == "The project-platform authors"
    assert metadata["Description-Content-Type"] == "text/markdown"
    assert metadata.get_payload().startswith("# project-platform\n")
