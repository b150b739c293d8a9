"""The command `project-platform stub`: runs the stub server in the foreground, or while another command runs."""

from __future__ import annotations

import argparse
import ipaddress
import logging
import os
import shlex
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from pathlib import Path

from project_platform_stub.world.world import MAX_WORLDS

from .describe import write_description
from .dispatch.cross_origin import checked_origin
from .dispatch.service import REQUESTS
from .documents.document import DocumentError
from .faults.file import load_fault_file
from .http.server import StubServer
from .profile import Profile, read_profile
from .state.opening import StateFileError
from .stub import Stub
from .world.domain import Json
from .world_file import load_world_file

# The exit statuses of a shell (POSIX, section 2.8.2); the last one is added to the number of the signal.
_NOT_FOUND, _NOT_EXECUTABLE, _SIGNALLED = 127, 126, 128
_POLL_INTERVAL = 0.5  # Seconds; on Windows a wait without timeout cannot be interrupted.


def main(argv: Sequence[str]) -> int:
    """Run the stub server until SIGINT or SIGTERM, or while the command after `exec` runs.

    Args:
        argv: The arguments after `stub`.

    Returns:
        0 after SIGINT or SIGTERM, once all requests in progress have finished; 1 if the server could not start; the exit
        status of the command after `exec`.
    """
    arguments, command = _arguments(argv)
    stop = threading.Event()
    before = {number: signal.signal(number, lambda *_: stop.set()) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        with _stub(arguments) as stub:
            return _run(stub, arguments, command, stop)
    except (DocumentError, StateFileError) as error:
        print(error, file=sys.stderr)
        return 1
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def _stub(arguments: argparse.Namespace) -> Stub:
    plans = load_fault_file(arguments.faults) if arguments.faults else []
    profile, left_out = read_profile(arguments.profile) if arguments.profile else (Profile(), {})
    for reason in dict.fromkeys(left_out.values()):
        keys = ", ".join(key for key in left_out if left_out[key] == reason)
        print(f"{arguments.profile}: ignored facts, because {reason}: {keys}", file=sys.stderr)
    stub = Stub(
        hosts={arguments.host},
        allow_origins=arguments.allow_origin,
        seed=arguments.seed,
        max_worlds=arguments.max_worlds,
        profile=profile,
        world=load_world_file(arguments.world) if arguments.world else None,
        state=arguments.state,
        strict=not arguments.no_strict,
    )
    for operation, faults in plans:
        stub.world.faults.plan(operation, faults)
    return stub


def _run(stub: Stub, arguments: argparse.Namespace, command: Sequence[str] | None, stop: threading.Event) -> int:
    try:
        server = stub.serve(arguments.host, arguments.port)
    except (OSError, OverflowError) as error:
        print(f"Cannot listen on {arguments.host}:{arguments.port}: {error}", file=sys.stderr)
        return 1
    with server:
        description = stub.describe(server.base_url)
        if arguments.describe is not None:
            try:
                write_description(arguments.describe, description)
            except OSError as error:
                print(f"Cannot write {arguments.describe}: {error.strerror or error}", file=sys.stderr)
                return 1
        if command is not None:
            return _run_command(command, _environment(description), stop)
        if not arguments.quiet:
            _print_requests()
        try:
            if arguments.env:
                for name, value in _environment(description).items():
                    print(f"export {name}={shlex.quote(value)}", flush=True)
                print(_ready(server), file=sys.stderr, flush=True)
            else:
                print(f"{_welcome(description)}\n{_ready(server)}", flush=True)
        except BrokenPipeError:  # the parent process has closed the pipe, but may still use the server
            sys.stdout = None
        while not stop.wait(_POLL_INTERVAL):
            pass
    return 0


def _arguments(argv: Sequence[str]) -> tuple[argparse.Namespace, Sequence[str] | None]:
    """Return the options, and the command after `exec` if there is one."""
    runs_command, parser = "exec" in argv[:1], _parser()
    if not runs_command:
        return parser.parse_args(argv), None
    end = argv.index("--") if "--" in argv else len(argv)
    arguments, command = parser.parse_args(["--port", "0", *argv[1:end]]), argv[end + 1 :]
    if not command:
        parser.error("the command is missing; write it after two hyphens: project-platform stub exec -- pytest")
    return arguments, command


def _origin(text: str) -> str:
    try:
        return checked_origin(text)
    except ValueError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(
        prog="project-platform stub",
        usage="%(prog)s [options]\n       %(prog)s exec [options] -- COMMAND [ARGUMENT ...]",
        description="Run a stub server until it is interrupted, or while a command runs: then its address, a token and a "
        "project are in the command's environment, and the exit status is that of the command.",
    )
    parser.add_argument("--host", default="127.0.0.1", help="address to listen on (default: %(default)s)")
    parser.add_argument(
        "--port", default=8080, type=int, help="port to listen on, 0 for a free one (default: %(default)s, for exec 0)"
    )
    parser.add_argument(
        "--allow-origin",
        action="append",
        default=[],
        type=_origin,
        metavar="ORIGIN",
        help="web pages of this origin may call the operations (CORS), for instance http://localhost:5173; * for every one",
    )
    parser.add_argument(
        "--world", type=Path, metavar="FILE", help="world file (YAML or JSON) instead of the demo world"
    )
    parser.add_argument(
        "--profile", type=Path, metavar="FILE", help="profile or fact file for what the specification leaves open"
    )
    parser.add_argument("--faults", type=Path, metavar="FILE", help="file with planned faults by operation")
    parser.add_argument("--state", type=Path, metavar="FILE", help="file that stores all worlds across restarts")
    parser.add_argument("--seed", default=0, type=int, help="seed of generated identifiers (default: %(default)s)")
    parser.add_argument(
        "--max-worlds",
        default=MAX_WORLDS,
        type=_positive,
        metavar="N",
        help="maximum number of worlds (default: %(default)s)",
    )
    parser.add_argument("--describe", type=Path, metavar="FILE", help="write address, tokens and identifiers as JSON")
    parser.add_argument(
        "--no-strict",
        action="store_true",
        help="send responses that break openapi.yaml, instead of a 500 with the reason",
    )
    parser.add_argument(
        "--env", action="store_true", help="print only three export lines for a shell, with address, token and project"
    )
    parser.add_argument("--quiet", action="store_true", help="do not print a line for each request")
    return parser


def _positive(text: str) -> int:
    if not text.isdecimal() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number from 1")
    return int(text)


def _environment(description: Json) -> dict[str, str]:
    """Return the environment variables by which the SDK finds the stub server, as its first identity."""
    return {
        "PROJECT_PLATFORM_BASE_URL": description["base_url"],
        "PROJECT_PLATFORM_TOKEN": next(iter(description["tokens"].values())),
        "PROJECT_PLATFORM_PROJECT": description["project_id"],
    }


def _welcome(description: Json) -> str:
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


def _ready(server: StubServer) -> str:
    """Return who can reach a server, and that it is ready."""
    reach = "The server is reachable only from this machine (use --host 0.0.0.0 to change that)."
    address = socket.getaddrinfo(server.host, None)[0][4][0]
    if not ipaddress.ip_address(address).is_loopback:
        reach = "WARNING: OTHER MACHINES CAN REACH THE SERVER, and /_stub/ gives them its tokens and data."
    return f"{reach}\nThe stub server is ready. Press Ctrl+C to stop it."


def _print_requests() -> None:
    """Print a line for each request to the standard error stream, from now on."""
    logger = logging.getLogger(REQUESTS)
    logger.setLevel(logging.INFO)
    logger.handlers = [logging.StreamHandler(sys.stderr)]
    logger.propagate = False


def _run_command(command: Sequence[str], variables: Mapping[str, str], stop: threading.Event) -> int:
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
