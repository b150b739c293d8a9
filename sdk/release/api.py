"""Compares the public API with that of the last release, for semantic versions."""

from __future__ import annotations

import runpy
import subprocess
from pathlib import Path

from .tools import ReleaseError, run, tool


def compare(root: Path) -> str:
    """Return what changed since the last tag.

    A change that breaks callers needs a new minor version before 1.0, and a new major version from then on.

    Raises:
        ReleaseError: The version does not allow the changes.
    """
    tags = run("git", "tag", "--list", "v[0-9]*", "--merged", "HEAD", "--sort=-version:refname", cwd=root).split()
    if not tags:
        return "There is no tag of a release to compare with."
    command = [tool("griffe"), "check", "project_platform", "--search", "sdk", "--against", tags[0]]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False)  # noqa: S603  # ours
    changes = done.stdout + done.stderr
    if done.returncode == 0:
        return f"No change since {tags[0]} breaks callers."
    version = runpy.run_path(str(root / "sdk/project_platform/version.py"))["VERSION"]
    if not may_break(tags[0].removeprefix("v"), version):
        raise ReleaseError(f"{changes}\nThese changes since {tags[0]} need a version that may break callers.")
    return f"{changes}\nVersion {version} may break callers of {tags[0]}."


def may_break(before: str, after: str) -> bool:
    """Return whether a version may contain changes that break callers of an earlier version."""
    old, new = (tuple(map(int, version.split(".")[:2])) for version in (before, after))
    return new[0] > old[0] or (new[0] == 0 and new > old)
