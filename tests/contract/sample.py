"""Samples of the broken services, which take more than an hour on two cores if all are run, and runs of the suite on them."""

import json
import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path
from typing import Any

PART = 32


def sample(names: Iterable[str]) -> list[str]:
    """Return every 32nd name, or all of them if the variable `MUTANTS` is `all`."""
    ordered = sorted(names)
    return ordered if os.environ.get("MUTANTS") == "all" else ordered[::PART]


def verdicts(file: Path, *command: str, folder: Path, timeout: float) -> Any:
    """Run a Python program in another process, because it forks, and return the JSON that it writes to a file.

    Args:
        file: The file, which is the program's argument `--json`.
        command: The arguments of Python. The exit status is ignored: the tests check the verdicts.
        folder: The working directory.
        timeout: Maximum number of seconds.
    """
    environment = {name: value for name, value in os.environ.items() if not name.startswith("PYTEST")}
    subprocess.run(
        [sys.executable, *command, "--json", str(file)],
        cwd=folder,
        env=environment,
        stdout=subprocess.DEVNULL,
        timeout=timeout,
        check=False,
    )
    return json.loads(file.read_text("utf-8"))
