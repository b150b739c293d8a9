"""Finds the Python of a version: on the PATH, or from pyenv.

A file named `python3.13` is not proof: the shims of pyenv exist for all versions, and most of them print an error only.
"""

from __future__ import annotations

import shutil
import subprocess
from collections.abc import Iterator
from pathlib import Path

_PROBE = "import ensurepip, ssl, sqlite3, sys, venv; print('%d.%d' % sys.version_info[:2], sys.executable)"


def find(version: str) -> str | None:
    """Return the path of a Python that runs, has the version, such as 3.13, and can create environments."""
    for candidate in _candidates(version):
        found, _, path = _output(candidate, "-c", _PROBE).partition(" ")
        if found == version:
            return path
    return None


def _candidates(version: str) -> Iterator[str]:
    if (on_path := shutil.which(f"python{version}")) is not None:
        yield on_path
    if (launcher := shutil.which("py")) is not None:  # of Windows
        yield _output(launcher, f"-{version}", "-c", "import sys; print(sys.executable)")
    if (pyenv := shutil.which("pyenv")) is not None:
        for name in reversed(_output(pyenv, "versions", "--bare").split()):
            if name.startswith(f"{version}.") and (prefix := _output(pyenv, "prefix", name)):
                yield str(Path(prefix) / "bin" / "python")


def _output(*command: str) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)  # noqa: S603  # found above
    except OSError:
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
