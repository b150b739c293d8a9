"""The parts of a release: the README's links, the version, the locks, and the Pythons that count."""

from __future__ import annotations

import re
import stat
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from release import pythons
from release.api import compare, may_break
from release.check import check
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
        ("[A](docs/decisions/index.md)", f"[A]({REPOSITORY}/blob/v1.2.0/docs/decisions/index.md)", "A"),
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
    readme = re.sub(r"(?ms)^```.*?^```$|`[^`\n]+`", "", (ROOT / "README.md").read_text("utf-8"))
    relative = re.compile(r"\]\((?!https?:|mailto:)")

    assert relative.search(readme)
    assert not relative.search(with_absolute_links(readme, repository, documentation, "1.2.0"))


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


def test_the_lock_of_the_demonstration_has_what_its_extras_require():
    """In the versions of the whole lock."""
    locks = [(ROOT / name).read_text("utf-8") for name in ("requirements.lock", "sdk/release/demo.lock")]
    every, demo = (dict(re.findall(r"^([\w.-]+)==([^ ;\\]+)", lock, re.MULTILINE)) for lock in locks)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    extras = project["optional-dependencies"]
    required = {re.split(r"[<>=;\[]", line)[0] for line in [*project["dependencies"], *extras["stub"], *extras["pdf"]]}

    assert required - demo.keys() == set()
    assert {name: every.get(name) for name in demo} == demo
