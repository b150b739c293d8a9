"""Builds the distribution and checks it as a package index and its users would."""

from __future__ import annotations

import re
import shutil
import tempfile
import tomllib
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

from .builds import build_twice
from .core import PACKAGES, bill_of_materials, install, packages
from .metadata import address_problems
from .tools import ReleaseError, run, tool

_ADDRESSES: Final = "tool.hatch.metadata.hooks.custom"


def check(root: Path, dist: Path, *, publish: bool = False) -> None:
    """Build into an empty folder, print a line for each check, and write the bill of materials next to the wheel.

    Args:
        root: The repository.
        dist: Folder to write to; what is in it is removed.
        publish: Whether the distribution is to be published, which needs the addresses of the project.

    Raises:
        ReleaseError: A check failed.
    """
    if publish:
        _report(f"addresses in pyproject.toml, [{_ADDRESSES}]", _missing_addresses(root))
    shutil.rmtree(dist, ignore_errors=True)
    with tempfile.TemporaryDirectory() as scratch:
        sdist, wheel, unequal = build_twice(root, Path(scratch), dist)
        _report("built twice, equal byte by byte", (f"{name} differs" for name in unequal))
        version = wheel.name.split("-")[1]
        _report("version", _version_problems(root, version))
        run(tool("twine"), "--no-color", "check", "--strict", str(sdist), str(wheel))
        _report("twine check --strict", ())
        run(tool("check-wheel-contents"), str(wheel), cwd=root)
        _report("check-wheel-contents", ())
        python = install(root, wheel, Path(scratch) / "core")
        installed = packages(python)
        _report(f"{PACKAGES} packages without extras, pip check", _count_problems(installed))
        listed = bill_of_materials(root, python, dist / f"project_platform-{version}.cdx.json", version)
        missing = sorted(set(installed) - set(listed))
        _report("bill of materials (CycloneDX)", (f"{name} is not listed" for name in missing))
    for file in sorted(dist.iterdir()):
        print(f"   {file.stat().st_size:>9,} bytes  {file.name}")


def _report(name: str, problems: Iterator[str] | tuple[str, ...]) -> None:
    found = list(problems)
    if found:
        raise ReleaseError("\n".join([f"{name}: failed", *found]))
    print(f"ok {name}")


def _missing_addresses(root: Path) -> Iterator[str]:
    section: Any = tomllib.loads((root / "pyproject.toml").read_text("utf-8"))
    for name in _ADDRESSES.split("."):
        section = section[name]
    return address_problems(section["repository"], section["documentation"])


def _version_problems(root: Path, version: str) -> Iterator[str]:
    newest = re.search(r"^## (\S+)", (root / "CHANGELOG.md").read_text("utf-8"), re.MULTILINE)
    if newest is None or newest[1] != version:
        yield f"CHANGELOG.md: the first section is not {version}"
    cited = re.search(r"^version: (\S+)", (root / "CITATION.cff").read_text("utf-8"), re.MULTILINE)
    if cited is None or cited[1] != version:
        yield f"CITATION.cff: the version is not {version}"


def _count_problems(installed: dict[str, str]) -> Iterator[str]:
    if len(installed) != PACKAGES:
        yield f"{len(installed)} packages: {', '.join(sorted(installed))}"
