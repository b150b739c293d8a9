"""Runs the command in a process that is forked from one which has imported it: the imports take most of the time of a short run."""

from __future__ import annotations

import gc
import multiprocessing
import os
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from project_platform_contract.cli import main

_METHOD: Final = "forkserver" if "forkserver" in multiprocessing.get_all_start_methods() else "spawn"
_CONTEXT: Final = multiprocessing.get_context(_METHOD)
_CONTEXT.set_forkserver_preload(["project_platform_contract.cli", "hypothesis"])


def run(arguments: Sequence[str], folder: Path, environment: Mapping[str, str], timeout: float) -> tuple[int, str, str]:
    """Run the command in a folder, and return its exit code, which is negative after the timeout, and its two outputs."""
    with tempfile.TemporaryDirectory() as outputs:
        out, err = Path(outputs, "out"), Path(outputs, "err")
        process = _CONTEXT.Process(target=_main, args=(arguments, folder, dict(environment), out, err))
        process.start()
        process.join(timeout)
        process.kill()
        process.join()
        assert process.exitcode is not None
        return process.exitcode, out.read_text("utf-8"), err.read_text("utf-8")


def _main(arguments: Sequence[str], folder: Path, environment: dict[str, str], out: Path, err: Path) -> None:
    gc.freeze()  # pytest collects garbage at the end of a run
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    for path, stream in ((out, sys.stdout), (err, sys.stderr)):
        with path.open("wb") as file:
            os.dup2(file.fileno(), stream.fileno())
    sys.exit(main(arguments))
