"""Runs the lines of `features.toml` for every SDK, and writes what they do to `features.json`.

    python -m benchmarks.features

`python -m codegen` then writes the tables of `docs/features.md` from that file. A line that is missing, or whose SDK cannot be run,
is a cell that says "not run".
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
import tomllib
from datetime import UTC, datetime
from typing import Any

from .feature_trials import FILE, SDKS
from .measure import ROOT
from .peers import NotInstalledError, feature_interpreter

RESULTS = FILE.with_suffix(".json")
TIMEOUT = 300.0  # Seconds for all lines of one SDK


def main() -> None:
    """Run all SDKs, one after another."""
    try:
        peers = feature_interpreter()
    except NotInstalledError as error:
        sys.exit(str(error))
    columns = {name: column(name, sys.executable if name == "project-platform" else peers) for name in SDKS}
    features = [
        {key: feature[key] for key in ("id", "title", "check")}
        for feature in tomllib.loads(FILE.read_text("utf-8"))["feature"]
    ]
    content = {
        "date": datetime.now(UTC).date().isoformat(),
        "python": platform.python_version(),
        "features": features,
        "sdks": columns,
    }
    RESULTS.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def column(name: str, interpreter: str) -> dict[str, Any]:
    """Return the version and the cells of an SDK; without cells if it could not be run."""
    command = [interpreter, "-m", "benchmarks.feature_trials", name]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=TIMEOUT)
    if done.returncode:
        print(f"{name}: not run\n{done.stderr[-2000:]}", file=sys.stderr)
        return {"version": None, "cells": {}}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
