"""Runs every SDK against the faulty servers of `peer_trials.py`, and writes what it does to `compare.json`.

    python -m benchmarks.compare

`docs/compare.md` shows the results. A column that cannot be run says "not run".
"""

from __future__ import annotations

import json
import platform
import subprocess
import sys
from datetime import UTC, datetime
from typing import Any

from .measure import ROOT
from .peer_trials import SDKS
from .peers import NotInstalledError, trial_interpreter

FILE = ROOT / "benchmarks/compare.json"
TIMEOUT = 180.0  # Seconds for all trials of one SDK


def main() -> None:
    """Run all SDKs, one after another."""
    try:
        peers = trial_interpreter()
    except NotInstalledError as error:
        sys.exit(str(error))
    columns = {name: column(name, peers, ["-m", "benchmarks.peer_trials", name], TIMEOUT) for name in SDKS}
    content = {"date": datetime.now(UTC).date().isoformat(), "python": platform.python_version(), "sdks": columns}
    FILE.write_text(json.dumps(content, indent=2) + "\n", "utf-8")


def column(name: str, peers: str, arguments: list[str], timeout: float) -> dict[str, Any]:
    """Return the version and the cells of an SDK; without cells if it could not be run.

    Args:
        name: The SDK.
        peers: The interpreter that has the other SDKs.
        arguments: What the interpreter runs.
        timeout: Seconds for all cells.
    """
    command = [sys.executable if name == "project-platform" else peers, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False, timeout=timeout)
    if done.returncode:
        print(f"{name}: not run\n{done.stderr[-2000:]}", file=sys.stderr)
        return {"version": None, "cells": {}}
    found: dict[str, Any] = json.loads(done.stdout)
    return found


if __name__ == "__main__":
    main()
