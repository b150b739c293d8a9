"""An environment with the wheel and its requirements, without extras: its packages, and their bill of materials."""

from __future__ import annotations

import json
import re
import sys
from pathlib import Path
from typing import Final

from .tools import run, tool

# `pip install project-platform` installs this many packages, the SDK included.
PACKAGES: Final = 14


def install(root: Path, wheel: Path, environment: Path) -> Path:
    """Install a wheel in a new environment, with the versions of the lock, and return its Python."""
    run(tool("uv"), "venv", "--quiet", "--clear", "--python", sys.executable, str(environment))
    found = environment / ("Scripts/python.exe" if sys.platform == "win32" else "bin/python")
    pip = (tool("uv"), "pip")
    run(*pip, "install", "--quiet", "--python", str(found), "--constraint", str(root / "requirements.lock"), str(wheel))
    run(*pip, "check", "--python", str(found))
    return found


def packages(python: Path) -> dict[str, str]:
    """Return the names and versions of the packages of an environment."""
    listed = run(tool("uv"), "pip", "list", "--python", str(python), "--format", "json")
    return {package["name"]: package["version"] for package in json.loads(listed)}


def bill_of_materials(root: Path, python: Path, file: Path, version: str) -> dict[str, str]:
    """Write the software bill of materials of an environment in the format of CycloneDX.

    Args:
        root: The repository.
        python: Python of the environment.
        file: File to write.
        version: Version of the distribution, which `pyproject.toml` does not state.

    Returns:
        The names and versions of what it lists.
    """
    options = ["--output-reproducible", "--mc-type", "library", "--pyproject", str(root / "pyproject.toml")]
    run(tool("cyclonedx-py"), "environment", *options, "--output-file", str(file), str(python))
    document = json.loads(file.read_text("utf-8"))
    document["metadata"]["component"]["version"] = version
    file.write_text(json.dumps(document, indent=2) + "\n", "utf-8")
    listed = [*document.get("components", []), document["metadata"]["component"]]
    return {re.sub(r"[-_.]+", "-", component["name"]).lower(): component.get("version", "") for component in listed}
