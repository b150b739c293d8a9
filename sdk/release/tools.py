"""Runs the programs of the environment of the release."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path


class ReleaseError(Exception):
    """A check failed; its text is for the terminal."""


def tool(name: str) -> str:
    """Return the path of a program next to the running Python."""
    return str(Path(sys.executable).with_name(f"{name}.exe" if sys.platform == "win32" else name))


def run(*command: str, cwd: Path | None = None) -> str:
    """Run a command, and return its output.

    Raises:
        ReleaseError: It failed; the text has the command and its output.
    """
    done = subprocess.run(command, cwd=cwd, capture_output=True, text=True, encoding="utf-8", check=False)  # noqa: S603  # ours
    if done.returncode:
        raise ReleaseError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout
