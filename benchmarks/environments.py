"""The environment of each side, with what its users install: httpx and pydantic, or the wheel of the SDK."""

from __future__ import annotations

import importlib.metadata
import subprocess
import sys
import tempfile
from pathlib import Path

from .measure import ROOT
from .sides import NOT_REUSED, RAW, SDK, SDK_ON_HTTPX, SDK_ON_UVLOOP

_FOLDER = ROOT / ".venv" / "benchmarks"


def interpreters() -> dict[str, str]:
    """Return the interpreter of each side. The environments are created anew, in a few seconds, with the versions of this one."""
    installed = {found.name: found.version for found in importlib.metadata.distributions()}
    del installed["project-platform"]
    with tempfile.TemporaryDirectory() as folder:
        constraints = Path(folder, "constraints.txt")
        constraints.write_text("".join(f"{name}=={version}\n" for name, version in installed.items()), "utf-8")
        _run(sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-build-isolation", "-q", "-w", folder, str(ROOT))
        (wheel,) = map(str, Path(folder).glob("*.whl"))
        httpx = _environment("httpx", constraints, "httpx", "pydantic")
        sdk = _environment("sdk", constraints, wheel)
        uvloop = _environment("uvloop", constraints, wheel, "uvloop")
    return {RAW: httpx, NOT_REUSED: httpx, SDK: sdk, SDK_ON_HTTPX: sdk, SDK_ON_UVLOOP: uvloop}


def _environment(name: str, constraints: Path, *packages: str) -> str:
    folder = _FOLDER / f"{name}-{sys.version_info.major}.{sys.version_info.minor}"
    python = str(folder / "bin" / "python")
    # That of the PATH: environments of other Pythons have none.
    _run("uv", "venv", "-q", "--clear", "--python", sys.executable, str(folder))
    _run("uv", "pip", "install", "-q", "--compile-bytecode", "--python", python, "-c", str(constraints), *packages)
    return python


def _run(*command: str) -> None:
    subprocess.run(command, check=True, cwd=ROOT)
