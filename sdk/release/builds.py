"""Builds of the distribution from copies of the tree that differ in all that a build must not depend on."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from .tools import run

# The earliest time that a ZIP file can state; a commit is newer.
_EARLIEST = 315532800


def commit_time(root: Path) -> int:
    """Return the time of the last commit, in seconds; outside of a repository, the earliest time of a ZIP file."""
    done = subprocess.run(
        ["git", "log", "-1", "--format=%ct"],  # noqa: S607  # git of the PATH
        cwd=root,
        capture_output=True,
        text=True,
        check=False,
    )
    return int(done.stdout) if done.returncode == 0 else _EARLIEST


def tracked(root: Path) -> list[str]:
    """Return the files of the tree that git tracks or would track."""
    command = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(command, cwd=root, capture_output=True, text=True, check=True)  # noqa: S603  # constant
    return [name for name in done.stdout.split("\0") if name and (root / name).is_file()]


def build_wheel(root: Path, dist: Path) -> Path:
    """Build a wheel from the tree itself, and return it."""
    run(sys.executable, "-m", "build", "--no-isolation", "--wheel", "--outdir", str(dist), str(root))
    (wheel,) = dist.glob("*.whl")
    return wheel


def build(root: Path, copy: Path, dist: Path, *, time_zone: str, umask: int) -> tuple[Path, Path]:
    """Build the source distribution from a copy of the tree, and the wheel from the source distribution.

    Args:
        root: The repository.
        copy: Folder to copy the tree to; the build runs there.
        dist: Folder to write to.
        time_zone: Value of the variable `TZ`.
        umask: Permissions that new files do not get.

    Returns:
        The source distribution and the wheel.
    """
    before = os.umask(umask)
    try:
        for name in tracked(root):
            (copy / name).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(root / name, copy / name)  # with the current time and the permissions of the umask
        subprocess.run(  # noqa: S603  # the command is constant
            [sys.executable, "-m", "build", "--no-isolation", "--outdir", str(dist), str(copy)],
            env={
                **os.environ,
                "SOURCE_DATE_EPOCH": str(commit_time(root)),
                "TZ": time_zone,
                "PYTHONHASHSEED": str(umask),
            },
            check=True,
            capture_output=True,
        )
    finally:
        os.umask(before)
    (sdist,), (wheel,) = dist.glob("*.tar.gz"), dist.glob("*.whl")
    return sdist, wheel


def build_twice(root: Path, scratch: Path, dist: Path) -> tuple[Path, Path, list[str]]:
    """Build twice, and return the files of the first build and the names of those that are not equal byte by byte."""
    first = build(root, scratch / "one", dist, time_zone="UTC", umask=0o022)
    second = build(root, scratch / "a" / "longer path", scratch / "dist", time_zone="Asia/Tokyo", umask=0o077)
    return *first, [a.name for a, b in zip(first, second, strict=True) if a.read_bytes() != b.read_bytes()]
