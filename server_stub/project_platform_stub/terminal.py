"""The output of the command `project-platform stub`: the first screen, the environment, and a line for each request."""

from __future__ import annotations

import ipaddress
import logging
import os
import shlex
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence

from project_platform_stub.dispatch.service import REQUESTS
from project_platform_stub.http.server import StubServer
from project_platform_stub.world.domain import Json


def environment(description: Json) -> dict[str, str]:
    """Return the environment variables by which the SDK finds the stub server, as its first identity."""
    return {
        "PROJECT_PLATFORM_BASE_URL": description["base_url"],
        "PROJECT_PLATFORM_TOKEN": next(iter(description["tokens"].values())),
        "PROJECT_PLATFORM_PROJECT": description["project_id"],
    }


def export_lines(description: Json) -> str:
    """Return the environment variables as commands of a shell."""
    return "\n".join(f"export {name}={shlex.quote(value)}" for name, value in environment(description).items())


def welcome(description: Json) -> str:
    """Return the addresses and tokens of a stub server, and how to try it."""
    base_url, project, tokens = description["base_url"], description["project_id"], description["tokens"]
    width = max(map(len, [*tokens, "Base URL"])) + 2
    lines = [
        f"{'Base URL':<{width}}{base_url}",
        f"{'Project':<{width}}{project}",
        f"{'Page':<{width}}{base_url}/_stub/",
        "",
    ]
    lines += [f"{identity:<{width}}{token}" for identity, token in tokens.items()]
    first = next(iter(tokens.values()))
    lines += [
        "",
        "Try it:",
        f"  curl -H 'Authorization: Bearer {first}' '{base_url}/projects/{project}/agents?limit=3'",
        "",
    ]
    return "\n".join(lines)


def ready(server: StubServer) -> str:
    """Return who can reach a server, and that it is ready."""
    reach = "The server is reachable only from this machine (use --host 0.0.0.0 to change that)."
    if not ipaddress.ip_address(server.host).is_loopback:
        reach = "WARNING: OTHER MACHINES CAN REACH THE SERVER, and /_stub/ gives them its tokens and data."
    return f"{reach}\nThe stub server is ready. Press Ctrl+C to stop it."


def print_requests() -> None:
    """Print a line for each request to the standard error stream, from now on."""
    logger = logging.getLogger(REQUESTS)
    logger.setLevel(logging.INFO)
    logger.handlers = [logging.StreamHandler(sys.stderr)]
    logger.propagate = False


# The exit statuses of a shell (POSIX, section 2.8.2); the last one is added to the number of the signal.
_NOT_FOUND, _NOT_EXECUTABLE, _SIGNALLED = 127, 126, 128


def run_command(command: Sequence[str], variables: Mapping[str, str], stop: threading.Event) -> int:
    """Run a command until it ends, and return its exit status as a shell would.

    SIGTERM is passed on to the command. SIGINT is not: a terminal sends it to the command as well. `stop` is set if a signal
    arrived before the command has started.
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
