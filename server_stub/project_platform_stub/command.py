"""Runs a command with the environment of a stub server: `project-platform stub exec -- pytest`."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

# The exit statuses of a shell (POSIX, section 2.8.2); the last one is added to the number of the signal.
_NOT_FOUND, _NOT_EXECUTABLE, _SIGNALLED = 127, 126, 128


def run_command(command: Sequence[str], variables: Mapping[str, str], stop: threading.Event) -> int:
    """Run a command until it ends, and return its exit status as a shell would.

    SIGTERM is passed on to the command. SIGINT is not: a terminal sends it to the command as well.

    Args:
        command: The command and its arguments.
        variables: Environment variables, in addition to those of this process.
        stop: Whether a signal arrived before the command has started.
    """
    try:
        process = subprocess.Popen(command, env={**os.environ, **variables})  # noqa: S603  # the user's own command
    except OSError as error:
        sys.stderr.write(f"Cannot run {command[0]}: {error.strerror}\n")
        return _NOT_FOUND if isinstance(error, FileNotFoundError) else _NOT_EXECUTABLE
    signal.signal(signal.SIGTERM, lambda *_: process.terminate())
    if stop.is_set():
        process.terminate()
    status = process.wait()
    return status if status >= 0 else _SIGNALLED - status
